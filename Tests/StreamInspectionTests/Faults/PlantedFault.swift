import Streams
import Testing

/// A small piece of realistic code that comes into the state in which a user asks why nothing arrives, and what a good
/// answer says.
///
/// Each fault is in a file of its own: a model or a service with one line that causes the silence, at whose end a
/// comment says why, and a subclass that replaces the method with that line. Both are used in the same way; from the
/// corrected one, what is expected arrives.
struct PlantedFault: Sendable, CustomTestStringConvertible {
  let name: String

  /// A sentence that would be a good answer: a measure for `answer`, and no wording that is asked for.
  let goodSentence: String

  /// Words of which the first sentence of a good explanation contains at least one from each group, in lowercase.
  let answer: [[String]]

  /// The number of values that have arrived after `provoke`.
  let arriving: Int

  /// The number of values that the user expects to have arrived after `provoke`.
  let expected: Int

  /// Sets the stream up, in the state in which nothing arrives.
  let plant: @MainActor () -> Planted

  /// Sets the same stream up with the line that causes the silence corrected.
  let corrected: @MainActor () -> Planted

  var testDescription: String { name }

  /// Returns whether a sentence contains a word from each group of the answer.
  func isAnswered(by sentence: String) -> Bool {
    let sentence = sentence.lowercased()
    return answer.allSatisfy { words in words.contains { sentence.contains($0) } }
  }

  static let all = [
    forgottenConnect, droppedCancellable, endlessInner, silentZipSide, subscriberWithoutDemand, wrongScheduler,
    supersededAnswers, lateToShare, endlessRetry, retainCycle, blockedQueue, brokenPromise,
    moreGroupsThanSlots, unreadGroups, innerWaitsForOuter, zipWithSlowerCopy, repeatedReplay, crossedBuffers,
  ]
}

/// A fault that has been set up.
struct Planted {
  /// What the user holds and asks about.
  let cancellable: AnyCancellable

  /// What else the user, or the rest of the program, holds.
  let keepsAlive: [Any]

  /// The number of the line that a reader has to find and change.
  let line: Int

  /// The name of the file with that line.
  let file: String

  /// Returns the number of values that have arrived so far.
  let received: @MainActor () -> Int

  /// Does what the user does, expecting values.
  let provoke: @MainActor () -> Void

  /// Ends what would outlive the stream, such as work that blocks a queue.
  let cleanUp: @MainActor () -> Void

  /// What is released once the stream has been cancelled and this value is gone: what it keeps alive, and what only the
  /// stream does.
  let released: [WeakReference]

  init(
    cancellable: AnyCancellable, keepsAlive: [AnyObject], alsoReleased: [WeakReference] = [], line: Int,
    fileID: String = #fileID, received: @escaping @MainActor () -> Int, provoke: @escaping @MainActor () -> Void,
    cleanUp: @escaping @MainActor () -> Void = {}
  ) {
    self.cancellable = cancellable
    self.keepsAlive = keepsAlive
    self.line = line
    file = fileID.split(separator: "/").last.map(String.init) ?? fileID
    self.received = received
    self.provoke = provoke
    self.cleanUp = cleanUp
    released = keepsAlive.map { WeakReference($0) } + alsoReleased
  }
}

/// A reference that shows whether its object is still there.
struct WeakReference {
  private(set) weak var object: AnyObject?

  init(_ object: AnyObject) { self.object = object }
}
