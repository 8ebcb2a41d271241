/// A publisher that sends values and a completion that were recorded before.
///
///     Record<Int, Never> { $0.receive(1); $0.receive(completion: .finished) }
///
/// ![Marble diagram of Record](diagram-record)
///
/// Every subscriber gets all of them, as it asks.
@frozen
public struct Record<Output, Failure: Error>: Publisher {
  /// What is sent.
  public let recording: Recording

  /// Makes a publisher of what the closure records; a recording without a completion finishes.
  @inlinable
  public init(record: (inout Recording) -> Void) {
    var recording = Recording()
    record(&recording)
    self.init(recording: recording)
  }

  /// Makes a publisher of a recording.
  @inlinable
  public init(recording: Recording) { self.recording = recording }

  /// Makes a publisher of values and a completion.
  @inlinable
  public init(output: [Output], completion: Subscribers.Completion<Failure>) {
    self.init(recording: Recording(output: output, completion: completion))
  }

  /// Attaches a subscriber.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let failure = SequenceFailure(recording.completion)
    SequenceSource(recording.output.makeIterator(), subscriber, looksAhead: true, failure: failure).begin()
  }

  /// Values and a completion, in the order in which they were received.
  public struct Recording {
    /// The values.
    public private(set) var output: [Output]

    /// The completion; `.finished` until another is received.
    public private(set) var completion: Subscribers.Completion<Failure>

    private var isComplete = false

    /// Makes an empty recording.
    public init() { self.init(output: [], completion: .finished, isComplete: false) }

    /// Makes a recording that is complete.
    public init(output: [Output], completion: Subscribers.Completion<Failure> = .finished) {
      self.init(output: output, completion: completion, isComplete: true)
    }

    private init(output: [Output], completion: Subscribers.Completion<Failure>, isComplete: Bool) {
      self.output = output
      self.completion = completion
      self.isComplete = isComplete
    }

    /// Adds a value.
    ///
    /// - Precondition: no completion has been received.
    public mutating func receive(_ input: Output) {
      require(
        !isComplete,
        or: "Record.Recording.receive(_:): a value cannot follow the completion. Record the completion last.")
      output.append(input)
    }

    /// Sets the completion.
    ///
    /// - Precondition: no completion has been received.
    public mutating func receive(completion: Subscribers.Completion<Failure>) {
      require(
        !isComplete,
        or: "Record.Recording.receive(completion:): there is a completion already. Record one, after all values.")
      self.completion = completion
      isComplete = true
    }
  }
}

extension Record: Sendable where Output: Sendable, Failure: Sendable {}
extension Record.Recording: Sendable where Output: Sendable, Failure: Sendable {}

extension Record.Recording: Codable where Output: Codable, Failure: Codable {
  private enum CodingKeys: String, CodingKey {
    case output
    case completion
  }

  /// Reads a recording that was written by ``encode(into:)``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      output: try container.decode([Output].self, forKey: .output),
      completion: try container.decode(Subscribers.Completion<Failure>.self, forKey: .completion))
  }

  /// Writes the values and the completion.
  public func encode(into encoder: any Encoder) throws { try encode(to: encoder) }

  /// Writes the values and the completion.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(output, forKey: .output)
    try container.encode(completion, forKey: .completion)
  }
}

extension Record: Codable where Output: Codable, Failure: Codable {
  private enum CodingKeys: String, CodingKey {
    case recording
  }

  /// Reads a record that was written by ``encode(to:)``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(recording: try container.decode(Recording.self, forKey: .recording))
  }

  /// Writes the recording.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(recording, forKey: .recording)
  }
}
