/// A publisher that sends recorded values and a recorded completion.
///
///     Record<Int, LoadError>(output: [1, 2], completion: .failure(.timeout))   // 1 2, then it fails
///
/// ![The result publishes 1 and 2 and fails.](diagram-record)
///
/// Each subscriber receives the complete recording at the pace of its demand. The completion follows the last value without
/// further demand.
@frozen
public struct Record<Output, Failure: Error>: Publisher {
  public let recording: Recording

  /// Creates a publisher from the values and completion that a closure records. Without a completion, the recording finishes.
  ///
  /// - Parameter record: A closure that adds values and a completion to an empty recording.
  @inlinable
  public init(record: (inout Recording) -> Void) {
    var recording = Recording()
    record(&recording)
    self.init(recording: recording)
  }

  /// Creates a publisher that sends a recording.
  ///
  /// - Parameter recording: The recording to send.
  @inlinable
  public init(recording: Recording) { self.recording = recording }

  /// Creates a publisher that sends values and a completion.
  ///
  /// - Parameters:
  ///   - output: The values to send.
  ///   - completion: The completion that follows the values.
  @inlinable
  public init(output: [Output], completion: Subscribers.Completion<Failure>) {
    self.init(recording: Recording(output: output, completion: completion))
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    SequenceSource(
      recording.output.makeIterator(), subscriber, looksAhead: true, failure: recording.completion.storedFailure
    ).begin()
  }

  /// A list of values and a completion, in the order in which they were received.
  ///
  ///     var recording = Record<String, Never>.Recording()
  ///     recording.receive("a")
  ///     recording.receive(completion: .finished)
  public struct Recording {
    /// The recorded values.
    public private(set) var output: [Output]

    /// The recorded completion, `.finished` until another one is received.
    public private(set) var completion: Subscribers.Completion<Failure>

    private var isComplete = false

    /// Creates an empty recording.
    public init() { self.init(output: [], completion: .finished, isComplete: false) }

    /// Creates a complete recording.
    ///
    /// - Parameters:
    ///   - output: The values.
    ///   - completion: The completion that follows the values.
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
    /// - Parameter input: The value to add.
    /// - Precondition: No completion has been received.
    public mutating func receive(_ input: Output) {
      require(
        !isComplete,
        or: "Record.Recording.receive(_:) was called after the completion. Record all values before the completion.")
      output.append(input)
    }

    /// Sets the completion.
    ///
    /// - Parameter completion: The completion that ends the recording.
    /// - Precondition: No completion has been received.
    public mutating func receive(completion: Subscribers.Completion<Failure>) {
      require(
        !isComplete,
        or: "Record.Recording.receive(completion:) was called twice. Record one completion, after all values.")
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

  /// Creates a recording from the output of ``encode(into:)``.
  ///
  /// - Throws: The decoder's error.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      output: try container.decode([Output].self, forKey: .output),
      completion: try container.decode(Subscribers.Completion<Failure>.self, forKey: .completion))
  }

  /// Encodes the values and the completion.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: The encoder's error.
  public func encode(into encoder: any Encoder) throws { try encode(to: encoder) }

  /// Encodes the values and the completion.
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

  /// Creates a record from the output of ``encode(to:)``.
  ///
  /// - Throws: The decoder's error.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(recording: try container.decode(Recording.self, forKey: .recording))
  }

  /// Encodes the recording.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(recording, forKey: .recording)
  }
}
