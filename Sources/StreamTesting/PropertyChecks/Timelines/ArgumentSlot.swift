internal import Dispatch
internal import StreamSchedulers
internal import Streams

/// An argument of a check, which each run creates again.
protocol ArgumentSlot: AnyObject {
  var name: String { get }
  var shape: TimelineShape { get }

  func fill(with drawn: DrawnTimeline, on scheduler: TestSchedulerOf<DispatchQueue>, _ location: CodeLocation)
  func empty()

  /// The number of subscriptions to the argument that haven't ended.
  var liveCount: Int { get }

  func picture(of drawn: DrawnTimeline, named name: String) -> ArgumentPicture
  func code(of drawn: DrawnTimeline) -> String
}

/// The argument of one generator. Only the check's thread uses it.
final class GeneratorSlot<Argument>: ArgumentSlot {
  private let generator: TimelineGenerator<Argument>
  private var current: Argument?

  init(_ generator: TimelineGenerator<Argument>) { self.generator = generator }

  var name: String { generator.name }
  var shape: TimelineShape { generator.shape }

  /// The argument of the current run.
  var argument: Argument {
    guard let current else { stopProgram("An argument of checkTimelines was used outside a run.") }
    return current
  }

  func fill(with drawn: DrawnTimeline, on scheduler: TestSchedulerOf<DispatchQueue>, _ location: CodeLocation) {
    current = generator.make(drawn, scheduler, location)
  }

  func empty() { current = nil }

  var liveCount: Int { current.map { generator.liveCount($0) } ?? 0 }

  func picture(of drawn: DrawnTimeline, named name: String) -> ArgumentPicture { generator.picture(drawn, name) }

  func code(of drawn: DrawnTimeline) -> String { generator.code(drawn) }
}
