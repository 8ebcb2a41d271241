"""What the client and the server have in common: the generated code, and requests that are sent when they're made."""

import pathlib
import queue
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / ".build-python" / "generated"))

import grpc  # noqa: E402
import streams_pb2  # noqa: E402
import streams_pb2_grpc  # noqa: E402

__all__ = ["grpc", "streams_pb2", "streams_pb2_grpc", "Subscription"]


class Subscription:
    """A call of a client: it requests values and reads them one by one."""

    def __init__(self, stub, stream, session, after=0, source=""):
        self.frames = queue.Queue()
        subscribe = streams_pb2.SubscriberFrame.Subscribe(stream=stream, session=session, after=after, source=source)
        self.frames.put(streams_pb2.SubscriberFrame(subscribe=subscribe))
        self.call = stub.Subscribe(iter(self.frames.get, None))

    def request(self, count, acknowledged=0):
        request = streams_pb2.SubscriberFrame.Request(count=count, acknowledged=acknowledged)
        self.frames.put(streams_pb2.SubscriberFrame(request=request))

    def open(self):
        """Reads the first frame, which has no value."""
        frame = next(self.call)
        assert frame.index == 0 and frame.source, frame
        return frame

    def read(self, count):
        return [(frame.index, frame.payload) for frame in (next(self.call) for _ in range(count))]

    def status(self):
        """Reads to the end, which must be a failure."""
        try:
            rest = list(self.call)
        except grpc.RpcError as error:
            return error.code()
        raise AssertionError(f"The stream finished after {rest}.")

    def cancel(self):
        self.frames.put(None)
        self.call.cancel()
