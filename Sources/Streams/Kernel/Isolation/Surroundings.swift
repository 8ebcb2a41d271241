internal import Synchronization

/// What the kernel cannot know by itself about where code runs, told by a module above it.
///
/// `StreamSchedulers` installs it when one of its schedulers is used for the first time. Without it nothing is wrong: some
/// values then take a hop that they could have been spared, and tasks run on the threads of the process.
package final class Surroundings: Sendable {
  /// Whether the caller runs on the main actor, in a virtual world too. A wrong yes would be a data race, a wrong no costs a
  /// hop.
  let isOnMainActor: @Sendable () -> Bool

  /// What runs the tasks that the calling thread starts, if it is moving a timeline on.
  let taskExecutor: @Sendable () -> (any TaskExecutor)?

  /// Reports a mistake that the program can go on after.
  let report: @Sendable (_ message: String, SourcePlace) -> Void

  package init(
    isOnMainActor: @escaping @Sendable () -> Bool, taskExecutor: @escaping @Sendable () -> (any TaskExecutor)?,
    report: @escaping @Sendable (_ message: String, SourcePlace) -> Void
  ) {
    self.isOnMainActor = isOnMainActor
    self.taskExecutor = taskExecutor
    self.report = report
  }

  private static let installed = Atomic<Unmanaged<Surroundings>?>(nil)

  /// What was installed.
  static var current: Surroundings? {
    // It is never let go of.
    installed.load(ordering: .acquiring)?.takeUnretainedValue()
  }

  /// Installs what tells about the surroundings, for the rest of the process; the first one stays.
  package static func install(_ surroundings: Surroundings) {
    let retained = Unmanaged.passRetained(surroundings)
    let (isFirst, _) = installed.compareExchange(expected: nil, desired: retained, ordering: .acquiringAndReleasing)
    if !isFirst { retained.release() }
  }

  /// What runs the tasks that the kernel starts here: the timeline that the calling thread is moving on, or nil for
  /// the threads of the process.
  @usableFromInline
  package static var taskExecutor: (any TaskExecutor)? { current?.taskExecutor() }

  /// Reports a mistake that the program can go on after: to the test that is running, or to standard error.
  static func report(_ message: String, at place: SourcePlace) {
    guard let current else {
      return Platform.writeToStandardError("\(place.filePath):\(place.line): warning: \(message)\n")
    }
    current.report(message, place)
  }
}

/// A place in a source file, as the compiler tells it to a function that is called there.
package struct SourcePlace: Sendable {
  package let fileID: StaticString
  package let filePath: StaticString
  package let line: UInt
  package let column: UInt

  @usableFromInline
  package init(fileID: StaticString, filePath: StaticString, line: UInt, column: UInt) {
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }

  /// The file's name and the line.
  package var description: String { "\("\(fileID)".split(separator: "/").last ?? ""):\(line)" }
}
