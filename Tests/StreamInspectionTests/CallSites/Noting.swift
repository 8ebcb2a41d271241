import StreamInspection
import Streams

// What notes places for the tests, in a file of its own: its frames are left out of the stacks, as if they belonged to
// the package.

/// A publisher that notes, when it is subscribed to, from where.
struct Noting<Upstream: Publisher>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let notes: Notes

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    notes.add()
    upstream.receive(subscriber: subscriber)
  }
}

/// The places that have been noted in a test.
final class Notes: @unchecked Sendable {
  // Unchecked because a test notes on one thread at a time, and reads afterwards.
  let sites = CallSites()
  private(set) var all: [CallSiteID] = []

  func add() { all.append(sites.note()) }

  /// The places, as they would be found if this file belonged to the package.
  var places: [CodeLine?] { all.map { CodeLine(firstIn: Self.withoutThisFile(sites.frames(of: $0))) } }

  var lines: [String] { places.map { $0.map(String.init(describing:)) ?? "unknown" } }

  static func withoutThisFile(_ frames: some Sequence<CallFrame>) -> some Sequence<CallFrame> {
    frames.lazy.filter { $0.path != #filePath }
  }
}

/// Notes from where it is called.
@inline(never)
func note(_ notes: Notes) { notes.add() }
