import Streams
import Testing

/// What operators have in common that publish one value when upstream finishes.
struct ReductionTests {
  struct Reduction: CustomTestStringConvertible, Sendable {
    typealias Source = ManualSource<Int, TestError>

    let testDescription: String
    /// What it publishes after a 1.
    let result: String
    let stream: @Sendable (Source) -> AnyPublisher<String, any Error>

    init<P: Publisher & SendableMetatype>(
      _ name: String, gives result: String, _ reduce: @escaping @Sendable (Source) -> P
    ) {
      testDescription = name
      self.result = result
      stream = { source in reduce(source).map { "\($0)" }.mapError { $0 }.eraseToAnyPublisher() }
    }
  }

  static let reductions = [
    Reduction("allSatisfy", gives: "true") { $0.allSatisfy { $0 == 1 } },
    Reduction("collect", gives: "[1]") { $0.collect() },
    Reduction("contains", gives: "false") { $0.contains(2) },
    Reduction("contains(where:)", gives: "false") { $0.contains { $0 == 2 } },
    Reduction("count", gives: "1") { $0.count() },
    Reduction("last", gives: "1") { $0.last() },
    Reduction("last(where:)", gives: "1") { $0.last { $0 > 0 } },
    Reduction("max", gives: "1") { $0.max() },
    Reduction("min", gives: "1") { $0.min() },
    Reduction("reduce", gives: "1") { $0.reduce(0, +) },
  ]

  /// Those whose closure throws at the first value, or at the second, with which it compares.
  static let throwing = [
    Reduction("tryAllSatisfy", gives: "") { $0.tryAllSatisfy { _ in throw TestError.first } },
    Reduction("tryContains", gives: "") { $0.tryContains { _ in throw TestError.first } },
    Reduction("tryLast", gives: "") { $0.tryLast { _ in throw TestError.first } },
    Reduction("tryMax", gives: "") { $0.tryMax { _, _ in throw TestError.first } },
    Reduction("tryMin", gives: "") { $0.tryMin { _, _ in throw TestError.first } },
    Reduction("tryReduce", gives: "") { $0.tryReduce(0) { _, _ in throw TestError.first } },
  ]

  private let source = Reduction.Source()

  @Test(arguments: reductions)
  func `requests unlimited demand immediately, and publishes the result on demand`(_ reduction: Reduction) {
    let recorder = record(reduction.stream(source), .none)
    #expect(source.requests == [.unlimited])

    source.send(1)
    source.finish()
    #expect(recorder.log == [])

    recorder.request(.max(1))
    #expect(recorder.log == [reduction.result, "finished"])
  }

  @Test(arguments: reductions)
  func `a failure drops the result`(_ reduction: Reduction) {
    let recorder = record(reduction.stream(source))
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == ["first"])
  }

  @Test(arguments: reductions)
  func `cancels upstream once and then publishes nothing`(_ reduction: Reduction) {
    source.ignoresCancellation = true
    let recorder = record(reduction.stream(source))
    source.send(1)
    recorder.cancel()
    source.send(2)
    source.finish()
    #expect(recorder.log == [])
    #expect(source.cancelCount == 1)
  }

  @Test(arguments: throwing)
  func `a thrown error cancels upstream and is delivered once`(_ reduction: Reduction) {
    source.ignoresCancellation = true
    let recorder = record(reduction.stream(source))
    source.send(1)
    source.send(2)
    source.send(3)
    source.finish()
    #expect(recorder.log == ["first"])
    #expect(source.cancelCount == 1)
  }
}
