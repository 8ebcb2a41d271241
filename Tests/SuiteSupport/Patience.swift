package import StreamSchedulers
package import StreamTesting
package import Streams

// Without an explicit timeout, a test waits as long as necessary: these overloads take precedence over the library's,
// whose default of half a minute is too short for a suite on a busy machine.

extension TestScheduler {
  @discardableResult
  package nonisolated(nonsending)
    func armed(
      _ count: Int,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async -> Bool
  {
    await armed(count, timeout: patience, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  @discardableResult
  package func armed(
    _ count: Int,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> Bool {
    armed(count, timeout: patience, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

extension TestClock {
  @discardableResult
  package nonisolated(nonsending)
    func armed(
      _ count: Int,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async -> Bool
  {
    await armed(count, timeout: patience, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

extension Recorder {
  package nonisolated(nonsending)
    func next(
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async -> Output?
  {
    await next(timeout: patience, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  package nonisolated(nonsending)
    func next(
      _ count: Int,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async -> [Output]
  {
    await next(count, timeout: patience, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  @discardableResult
  package nonisolated(nonsending)
    func finished(
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async -> Bool
  {
    await finished(timeout: patience, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

extension Publisher {
  package func blocking(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> BlockingPublisher<Self> {
    blocking(timeout: patience, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
