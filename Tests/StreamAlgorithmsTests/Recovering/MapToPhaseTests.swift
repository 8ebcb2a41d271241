import Streams
import SuiteSupport
import Testing

struct MapToPhaseTests {
  private typealias Phase = PublisherPhase<Int, TestError>

  private let source = ManualSource<Int, TestError>()

  @Test func `publishes loading before it subscribes, then values and a failure`() {
    let recorder = record(
      source.mapToPhase().map { phase in
        if phase.isLoading { #expect(source.subscriberCount == 0) }
        return phase
      })
    source.send(1)
    source.send(2)
    source.fail(.first)
    #expect(recorder.log == ["loading", "success(1)", "success(2)", "\(Phase.failure(.first))", "finished"])
    #expect(recorder.subscriptions.count == 1)
  }

  @Test func `finishes without a success if there is no value`() {
    let recorder = record(source.mapToPhase())
    source.finish()
    #expect(recorder.log == ["loading", "finished"])
  }

  @Test func `requests what is requested, less one for loading`() {
    let recorder = record(source.mapToPhase(), .max(2))
    #expect(source.requests == [.max(1)])
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == ["loading", "success(1)"])
    recorder.request(.max(1))
    #expect(recorder.log == ["loading", "success(1)", "\(Phase.failure(.first))", "finished"])
  }

  @Test func `cancels upstream`() {
    record(source.mapToPhase()).cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `a phase has a value, an error, or neither`() {
    let phases: [Phase] = [.loading, .success(1), .failure(.first)]
    #expect(phases.map(\.isLoading) == [true, false, false])
    #expect(phases.map(\.value) == [nil, 1, nil])
    #expect(phases.map(\.failure) == [nil, nil, .first])
    #expect(Set(phases).count == 3)
  }
}
