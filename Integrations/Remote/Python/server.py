"""Serves the stream "values" to a Swift client: server.py. It has 1,000 values, whose payload is their number in eight bytes.

It prints its port. Each call ends with UNAVAILABLE after 100 values, so that the client has to continue.
"""

import sys
import threading
from concurrent import futures

from peer import grpc, streams_pb2, streams_pb2_grpc

COUNT = 1_000


class ResumableStreams(streams_pb2_grpc.ResumableStreamsServicer):
    def Subscribe(self, frames, context):
        subscribe = next(frames).subscribe
        if subscribe.stream != "values":
            context.abort(grpc.StatusCode.NOT_FOUND, "no such stream")
        if subscribe.source not in ("", "python"):
            context.abort(grpc.StatusCode.DATA_LOSS, "another source")
        condition = threading.Condition()
        credit, over = 0, False

        def read():
            nonlocal credit, over
            try:
                for frame in frames:
                    with condition:
                        credit += frame.request.count
                        condition.notify()
            except grpc.RpcError:
                pass
            with condition:
                over = True
                condition.notify()

        threading.Thread(target=read, daemon=True).start()
        yield streams_pb2.PublisherFrame(source="python", window=16, window_bytes=1_000_000)
        for index in range(subscribe.after + 1, COUNT + 1):
            with condition:
                while credit == 0 and not over:
                    condition.wait()
                if credit == 0:
                    return
                credit -= 1
            if index > subscribe.after + 100:
                context.abort(grpc.StatusCode.UNAVAILABLE, "try again")
            yield streams_pb2.PublisherFrame(index=index, payload=index.to_bytes(8, "little"))


server = grpc.server(futures.ThreadPoolExecutor(16))
streams_pb2_grpc.add_ResumableStreamsServicer_to_server(ResumableStreams(), server)
print(server.add_insecure_port("127.0.0.1:0"), flush=True)
server.start()
# Until the test closes its end.
sys.stdin.read()
server.stop(None)
