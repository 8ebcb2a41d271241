import Foundation
import InMemoryLogging
import Logging
import ServiceLifecycle
import Synchronization
import Testing

/// A condition wasn't met in time.
struct ConditionNotMet: Error {}

/// Waits until a condition is met. The limit only fails.
func wait(
  for expectation: Comment, until condition: @Sendable () async -> Bool, location: SourceLocation = #_sourceLocation
) async throws {
  let clock = ContinuousClock()
  let limit = clock.now + .seconds(60)
  while await !condition() {
    guard clock.now < limit else {
      Issue.record(expectation, sourceLocation: location)
      throw ConditionNotMet()
    }
    try await Task.sleep(for: .milliseconds(1))
  }
}

/// Values that several threads add.
final class Collected<Value: Sendable>: Sendable {
  private let state = Mutex<[Value]>([])

  var values: [Value] { state.withLock { $0 } }

  var count: Int { state.withLock { $0.count } }

  func append(_ value: Value) { state.withLock { $0.append(value) } }
}

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
