#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  #if canImport(Darwin)
    internal import Darwin  // Not yet compiled.
  #elseif canImport(Glibc)
    internal import Glibc
  #elseif canImport(Musl)
    internal import Musl  // Not yet compiled.
  #else
    internal import Android  // Not yet compiled.
  #endif
  internal import Dispatch
  package import Streams

  /// The signal that asks a running process what its streams are doing: `kill -USR1` with the process ID.
  package enum DumpSignal {
    /// Calls a closure each time the process receives the signal, which would otherwise end the process.
    ///
    /// The closure runs on its own queue, even while the main thread and the concurrency pool are blocked. Signals that arrive
    /// while it runs count as one. This method returns once the process is ready to handle the signal, which takes less than a
    /// millisecond.
    ///
    /// - Parameter action: The closure.
    /// - Returns: A cancellable. Cancelling or releasing it ends the calls.
    package static func onReceipt(_ action: @escaping @Sendable () -> Void) -> AnyCancellable {
      signal(SIGUSR1, SIG_IGN)
      let source = DispatchSource.makeSignalSource(
        signal: SIGUSR1, queue: DispatchQueue(label: "Streams.DumpSignal", qos: .userInitiated))
      let isRegistered = DispatchSemaphore(value: 0)
      source.setRegistrationHandler { isRegistered.signal() }
      source.setEventHandler(handler: action)
      source.activate()
      // A signal before the registration would be lost.
      isRegistered.wait()
      return AnyCancellable { source.cancel() }
    }
  }
#endif
