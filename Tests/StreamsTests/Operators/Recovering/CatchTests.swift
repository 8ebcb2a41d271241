import Streams
import Testing

struct CatchTests {
  private let source = ManualSource<Int, TestError>()
  private let other = ManualSource<Int, TestError>()

  @Test func `continues with another publisher when upstream fails`() {
    var caught: [TestError] = []
    let recorder = record(
      source.catch { error in
        caught.append(error)
        return Just(2)
      })
    source.send(1)
    source.fail(.first)
    #expect(caught == [.first])
    #expect(recorder.log == ["1", "2", "finished"])
  }

  @Test func `forwards a normal completion`() {
    #expect(log([1].publisher.setFailureType(to: TestError.self).catch { _ in Just(2) }) == ["1", "finished"])
  }

  @Test func `carries outstanding demand over`() {
    let recorder = record(source.catch { _ in other }, .max(3))
    source.send(1)
    source.fail(.first)
    #expect(other.demand == 2)
    recorder.request(.max(4))
    #expect(other.demand == 6)
    #expect(source.demand == 3)
  }

  @Test func `requests nothing from the other publisher without outstanding demand`() {
    let recorder = record(source.catch { _ in other }, .max(1))
    source.send(1)
    source.fail(.first)
    #expect(other.requests == [])
    recorder.request(.max(1))
    #expect(other.requests == [.max(1)])
  }

  @Test func `does not catch the failure of the other publisher`() {
    let recorder = record(source.catch { _ in other })
    source.fail(.first)
    other.fail(.second)
    #expect(recorder.log == ["second"])
  }

  @Test func `cancels the current publisher`() {
    let recorder = record(source.catch { _ in other })
    source.fail(.first)
    recorder.cancel()
    #expect(source.cancelCount == 0)
    #expect(other.cancelCount == 1)

    record(source.catch { _ in other }).cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `does not subscribe to the other publisher after cancellation`() {
    source.ignoresCancellation = true
    let recorder = record(source.catch { _ in other })
    recorder.cancel()
    #expect(source.cancelCount == 1)
    source.fail(.first)
    #expect(other.subscriberCount == 0)
  }

  private func failing(_ depth: Int) -> AnyPublisher<Int, TestError> {
    depth == 0
      ? Just(42).setFailureType(to: TestError.self).eraseToAnyPublisher()
      : Fail<Int, TestError>(error: .first).catch { _ in failing(depth - 1) }.eraseToAnyPublisher()
  }

  @Test func `twenty thousand nested catches run without growing the stack`() {
    #expect(log(failing(20_000)) == ["42", "finished"])
  }

  // MARK: tryCatch

  @Test func `tryCatch continues with another publisher of any failure type`() {
    let recorder = record(source.tryCatch { _ in other })
    source.fail(.first)
    other.send(1)
    other.fail(.second)
    #expect(recorder.log == ["1", "second"])
  }

  @Test func `tryCatch fails once with an error that the closure throws`() {
    source.ignoresCancellation = true
    let recorder = record(source.tryCatch { _ -> ManualSource<Int, TestError> in throw TestError.second })
    source.send(1)
    source.fail(.first)
    source.fail(.first)
    #expect(recorder.log == ["1", "second"])
  }

  @Test func `a failure after the cancellation is not caught`() {
    source.ignoresCancellation = true
    var count = 0
    let recorder = record(
      source.catch { _ in
        count += 1
        return other
      })
    recorder.cancel()
    #expect(source.cancelCount == 1)
    source.fail(.first)
    #expect(count == 0)
  }

  @Test func `tryCatch carries outstanding demand over`() {
    record(source.tryCatch { _ in other }, .max(3))
    source.send(1)
    source.fail(.first)
    #expect(other.demand == 2)
  }

  // MARK: replaceError

  @Test func `replaceError publishes a value and finishes when upstream fails`() {
    let recorder = record(source.replaceError(with: 9))
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == ["1", "9", "finished"])
  }

  @Test func `replaceError holds the value until it is requested`() {
    let recorder = record(source.replaceError(with: 9), .none)
    source.fail(.first)
    #expect(recorder.log == [])
    recorder.request(.max(1))
    #expect(recorder.log == ["9", "finished"])
  }

  @Test func `is stopped from downstream while the other publisher is infinite`() {
    #expect(
      log(Fail<Int, TestError>(error: .first).catch { _ in (1...).publisher }.prefix(2)) == ["1", "2", "finished"])
  }
}
