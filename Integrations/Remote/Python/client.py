"""Checks a Swift server: client.py PORT. It has a stream "values" of 100 values, whose payload is their number in one byte."""

import faulthandler
import sys

from peer import Subscription, grpc, streams_pb2_grpc

# Where it waits, if it does.
faulthandler.dump_traceback_later(40, exit=True)
stub = streams_pb2_grpc.ResumableStreamsStub(grpc.insecure_channel(f"127.0.0.1:{sys.argv[1]}"))


def values(first, last):
    return [(index, bytes([index])) for index in range(first, last + 1)]


# Demand: not one value more than requested.
call = Subscription(stub, "values", "python")
opened = call.open()
assert opened.source == "log" and opened.window == 16, opened
call.request(10)
assert call.read(10) == values(1, 10)
call.request(1)
assert call.read(1) == values(11, 11)

# The next value of the same call would be one that wasn't requested, so a second call asks for the next one.
call.cancel()
call = Subscription(stub, "values", "python", after=7, source="log")
call.open()
call.request(5, acknowledged=7)
assert call.read(5) == values(8, 12)

# Another call takes the session.
other = Subscription(stub, "values", "python", after=12, source="log")
other.open()
assert call.status() == grpc.StatusCode.ABORTED

# Values that aren't acknowledged fill the window.
other.request(20, acknowledged=12)
assert other.read(16) == values(13, 28)
other.request(0, acknowledged=28)
assert other.read(4) == values(29, 32)
other.request(1_000, acknowledged=32)
received = []
for frame in other.call:
    received.append((frame.index, frame.payload))
    other.request(0, acknowledged=frame.index)
assert received == values(33, 100)

# The completion is sent again to whoever has lost it.
again = Subscription(stub, "values", "python", after=100, source="log")
again.open()
assert list(again.call) == []

assert Subscription(stub, "values", "new", after=3, source="other").status() == grpc.StatusCode.DATA_LOSS
assert Subscription(stub, "missing", "new").status() == grpc.StatusCode.NOT_FOUND
failing = Subscription(stub, "failing", "new")
failing.open()
assert failing.status() == grpc.StatusCode.RESOURCE_EXHAUSTED
assert dict(failing.call.trailing_metadata())["streams-failed"] == "1"
assert dict(failing.call.trailing_metadata())["reason"] == "quota"
print("The Swift server follows the protocol.")
