import Streams
import Testing

struct CodingTests {
  private struct TextCoder: TopLevelEncoder, TopLevelDecoder {
    func encode<T: Encodable>(_ value: T) throws -> String { "\(value)" }

    func decode<T: Decodable>(_ type: T.Type, from input: String) throws -> T {
      guard let value = Int(input) as? T else { throw TestError.first }
      return value
    }
  }

  private struct FailingEncoder: TopLevelEncoder {
    func encode<T: Encodable>(_ value: T) throws -> String { throw TestError.second }
  }

  @Test func `encode encodes every value`() {
    #expect(log([1, 2].publisher.encode(encoder: TextCoder())) == ["1", "2", "finished"])
  }

  @Test func `decode decodes every value`() {
    #expect(log(["1", "2"].publisher.decode(type: Int.self, decoder: TextCoder())) == ["1", "2", "finished"])
  }

  @Test func `a decoding error cancels upstream and is delivered once`() {
    let source = ManualSource<String, Never>()
    source.ignoresCancellation = true
    let recorder = record(source.decode(type: Int.self, decoder: TextCoder()))
    for value in ["1", "x", "x", "2"] { source.send(value) }
    #expect(recorder.log == ["1", "first"])
    #expect(source.cancelCount == 1)
  }

  @Test func `an encoding error cancels upstream and is delivered once`() {
    let source = ManualSource<Int, Never>()
    source.ignoresCancellation = true
    let recorder = record(source.encode(encoder: FailingEncoder()))
    source.send(1)
    source.send(1)
    #expect(recorder.log == ["second"])
    #expect(source.cancelCount == 1)
  }

  @Test func `forwards demand and failures`() {
    let source = ManualSource<String, TestError>()
    let recorder = record(source.decode(type: Int.self, decoder: TextCoder()), .max(2))
    #expect(source.requests == [.max(2)])
    source.fail(.second)
    #expect(recorder.log == ["second"])
  }
}
