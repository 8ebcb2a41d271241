import Foundation
import Streams
import SuiteSupport
import Testing

struct RecordTests {
  private let record1 = Record<Int, TestError> { recording in
    recording.receive(1)
    recording.receive(2)
    recording.receive(completion: .failure(.first))
  }

  @Test func `publishes the recorded values and completion`() {
    #expect(log(record1) == ["1", "2", "first"])
  }

  @Test func `finishes when no completion was recorded`() {
    #expect(log(Record<Int, Never> { $0.receive(1) }) == ["1", "finished"])
  }

  @Test func `is created from values and a completion`() {
    #expect(log(Record<Int, TestError>(output: [1], completion: .failure(.second))) == ["1", "second"])
  }

  @Test func `keeps to the demand`() {
    let recorder = record(record1, .max(1))
    #expect(recorder.log == ["1"])
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "2", "first"])
  }

  @Test func `replays all values to every subscriber`() {
    #expect(collect(record1) == collect(record1))
  }

  @Test func `stops after cancellation`() {
    let recorder = SignalRecorder<Int, TestError>()
    recorder.onValue = { _ in
      recorder.cancel()
      return .none
    }
    record1.subscribe(recorder)
    #expect(recorder.log == ["1"])
  }

  @Test func `is encoded as JSON and decoded`() throws {
    let data = try JSONEncoder().encode(record1)
    let read = try JSONDecoder().decode(Record<Int, TestError>.self, from: data)
    #expect(read.recording.output == [1, 2])
    #expect(read.recording.completion == .failure(.first))
  }

  @Test func `is encoded with Combine's keys`() throws {
    let recording = Record<Int, TestError>.Recording(output: [1], completion: .finished)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(recording), as: UTF8.self)
    #expect(text == #"{"completion":{"success":true},"output":[1]}"#)
  }

  @Test(.exits) func `records nothing after the completion`() async {
    await #expect(processExitsWith: .failure) {
      _ = Record<Int, TestError> { recording in
        recording.receive(completion: .finished)
        recording.receive(1)
      }
    }
  }
}
