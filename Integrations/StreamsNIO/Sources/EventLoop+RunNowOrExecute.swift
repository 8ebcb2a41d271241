import NIOCore

extension EventLoop {
  /// Runs a closure now if this is the event loop's thread, otherwise later on that thread.
  func runNowOrExecute(_ action: @escaping @Sendable () -> Void) {
    if inEventLoop { action() } else { execute(action) }
  }
}
