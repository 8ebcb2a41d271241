#if canImport(Glibc)
  import Glibc
  import StreamInspection
  import Streams
  import Testing

  @Suite struct DumpSignalTests {
    @Test(.ownThread) func `each signal calls the closure`() async {
      let calls = Log<Int>()
      let handler = DumpSignal.onReceipt { calls.append(calls.all.count) }
      for count in 1...3 {
        kill(getpid(), SIGUSR1)
        // The next signal is not sent before this one has been handled, because the two would count as one.
        #expect(await calls.first(count).count == count)
      }
      handler.cancel()
      #expect(calls.all == [0, 1, 2])
    }
  }
#endif
