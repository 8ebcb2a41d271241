import Foundation
import InMemoryLogging
import Logging
import ServiceLifecycle
import Synchronization
import Testing

/// A logger that writes nothing.
let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

extension ServiceGroup {
  /// Creates a group that ends when its service has finished.
  init(_ services: any Service..., maximumDuration: Duration? = nil) {
    var configuration = ServiceGroupConfiguration(
      services: services.map {
        .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup)
      }, logger: silent)
    configuration.maximumGracefulShutdownDuration = maximumDuration
    self.init(configuration: configuration)
  }
}

/// An executor whose threads tests may block, unlike the threads of queues and of the concurrency pool.
final class ThreadExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
