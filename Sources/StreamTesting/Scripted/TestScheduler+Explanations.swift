public import StreamSchedulers
public import Streams

// Methods that can't be called. They explain what's missing in a call, like the methods in
// `Publisher+Explanations.swift` of `Streams`.

extension TestScheduler {
  @available(*, unavailable, message: "the values need their label, values:")
  public func cold<Output>(
    _ marbles: Marbles, _ values: MarbleValues<Output>
  ) -> ColdPublisher<Output, Never, SchedulerTimeType.Stride> { explain() }

  @available(*, unavailable, message: "the values need their label, values:")
  public func hot<Output>(
    _ marbles: Marbles, _ values: MarbleValues<Output>
  ) -> HotPublisher<Output, Never, SchedulerTimeType.Stride> { explain() }

  @available(*, unavailable, message: "the values need their label, values:")
  public func expect<P: Publisher>(
    _ publisher: P, _ marbles: Marbles, _ values: MarbleValues<P.Output>
  ) { explain() }

  @available(*, unavailable, message: "the closure is asynchronous; use try runVirtualWorld { … }, without await")
  @MainActor
  public func withVirtualWorld<Result>(_ body: @MainActor () async throws -> Result) async rethrows -> Result {
    explain()
  }
}
