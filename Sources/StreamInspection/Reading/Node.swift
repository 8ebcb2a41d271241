internal import Streams

/// The facts about one part of a live stream, before they're put into words.
struct Node {
  /// A number that's unique among live parts.
  let id: UInt64
  let type: Any.Type
  /// The object, which is retained until the whole stream has been read, or `nil` for a sink that may end while it's
  /// being read.
  let object: AnyObject?
  var kind: Kind
  /// The name of the operator, once it's known.
  var name: String?
  /// The name that a checkpoint has given to this part.
  var checkpoint: String?
  var facts = Facts()
  /// The place where the part delivers values or runs its timers, known once the whole stream has been read.
  private(set) var place: DeliveryPlace?
  var edges: [Edge] = []
  /// Indicates whether a source is missing, because there were more parts than the limit.
  var isCut = false
  /// Indicates whether a subject seems to be retained only by its subscriptions.
  var isOnlyHeldByItsSubscriptions = false

  enum Kind: Equatable {
    /// The part at the downstream end.
    case root
    /// An operator that forwards the values of one source.
    case link
    case engine(String)
    case subject
    case source
    /// A subscription from other code.
    case unknown
  }

  /// The connection to a source.
  struct Edge {
    var slot: Int?
    /// Indicates whether the slot belongs to an input of a merge, which keeps its number when others have ended.
    var isNumbered = false
    var node: Int
    var operators: [Operator] = []
    /// The facts about the subscription, if it belongs to a subject.
    var facts: Facts?
    /// Indicates whether values come from a subject that has to be connected.
    var isConnectable = false
  }

  /// An operator without an object of its own, and its counts, if any.
  struct Operator {
    let name: String
    let counter: FlowCounter?
    /// The values that had been counted when the stream was read.
    let flow: Inspection.Flow?

    init(name: String, counter: FlowCounter?) {
      self.name = name
      self.counter = counter
      flow = counter.flatMap { $0.isCounting ? Inspection.Flow($0) : nil }
    }
  }

  init(_ object: AnyObject, _ kind: Kind) {
    self.object = object
    id = UInt64(UInt(bitPattern: ObjectIdentifier(object)))
    type = Swift.type(of: object)
    self.kind = kind
  }

  /// Creates the part for a sink that isn't retained.
  init(root: LiveRoot) {
    object = nil
    id = root.id
    type = root.type
    kind = .root
    facts = root.facts
  }

  /// The time for which the place hasn't run a delivery, known once the whole stream has been read.
  private(set) var delay: Duration?

  /// Reads the time that remains until the part's timer is due, and the time for which its place hasn't run a delivery.
  mutating func readPlace(at time: UInt32) {
    place = DeliveryPlace(facts.place, date: facts.date)
    delay =
      facts.hasTimer
      ? place?.overdue
      : facts.scheduledTime.map { .milliseconds(10 * Int64(UInt16(truncatingIfNeeded: time / 10) &- $0)) }
  }

  /// The number of values that the part keeps until it can deliver them.
  var waiting: Int { facts.waiting + (facts.batch == nil ? facts.held ?? 0 : 0) }

  /// Indicates whether this is a nameless part of the operator downstream.
  var isPart: Bool { kind == .engine("") || kind == .link && name == "" }

  var engine: String? { if case .engine(let name) = kind { name } else { nil } }
}

extension Facts {
  var checkpoint: String? { upstreams.lazy.compactMap { ($0.object as? AnnotatedLink)?.name }.first }

  /// A substitute for the place of a sink that a library created on behalf of the program.
  var placeByCheckpoint: String? { checkpoint.map { "checkpoint \($0)" } }
}

/// The facts that a part has reported.
struct Facts {
  var demand: Subscribers.Demand?
  var isRequested = false
  var waiting = 0
  var ready = 0
  var capacity = 0
  var bound: Int?
  var running = 0
  var limit: Subscribers.Demand?
  var succeeded = 0
  var successors: Int?
  var isOpen: Bool?
  var hasTimer = false
  var isScheduled = false
  /// The time at which the delivery was requested, in hundredths of a second since observation began. It starts again
  /// at zero after eleven minutes.
  var scheduledTime: UInt16?
  var isDelivering = false
  var hasResult = false
  var isPromised = false
  var isAbandoned = false
  var hasTask = false
  /// Indicates whether an operator started the task, for one of its values.
  var isOperatorsTask = false
  var isTaskWaiting = false
  var awaits: Bool?
  var isUnconnected = false
  var isFinishing = false
  var isOver = false
  var subscribers = 0
  var isPublished = false
  var isStale = false
  var kept: [Int: Int] = [:]
  private var lastKept = 0
  var ended: Set<Int> = []
  var others = 0
  /// The object that calls the subscriber, and the type of that object.
  var sender: AnyObject?
  var senderType: Any.Type?
  var subscriber: Any?
  /// The name of the operator, if the part states it.
  var operatorName: String?
  /// The counts of a sink, if any.
  var counter: Counter?
  /// The name of the operator whose subscription this is, if the subscription states it.
  var linkName: String?
  /// The number of values that the operator holds to send them together with others.
  var held: Int?
  /// The number of values that the operator sends together.
  var batch: Int?
  /// The name of the source, if the part is a source that states its name.
  var sourceName: String?
  /// The number of values that have arrived at this operator.
  var arrived: Int?
  /// The number of values that this part has sent, or that a subject has sent through this subscription.
  var sent: Int?
  /// The object whose property the subscriber sets.
  var target: AnyObject?
  var owner: AnyObject?
  /// The object whose place the observer may know, if the source isn't a subject.
  var made: AnyObject?
  /// The file and line that created the source, if the source itself knows them.
  var location: String?
  var upstreams: [(slot: Int, object: AnyObject?)] = []
  /// The scheduler or actor, and the date of the last timer.
  var place: Any?
  var date: Any?

  /// Reads the facts of a part.
  ///
  /// Under the part's lock, the facts are only copied to memory that was reserved before. Their objects are released later.
  init(of part: AnyObject) {
    var told: [(fact: StreamFact, number: Int, object: AnyObject?)] = []
    // A zip of 63 sources reports three facts about each.
    told.reserveCapacity(224)
    StreamFact.tell(of: part) { told.append(($0, $1, $2)) }
    for (fact, number, object) in told { add(fact, number, object) }
  }

  struct Counter {
    /// The number of the sink in the registry.
    let entry: UInt32
    var count: UInt64 = 0
    /// The time of the last value, in milliseconds since observation began.
    var last: UInt32 = 0
  }

  init() {}

  /// Returns the demand for a raw value, which is negative as a signed number if the demand is unlimited.
  private static func demand(_ number: Int) -> Subscribers.Demand { number < 0 ? .unlimited : .max(number) }

  mutating func add(_ fact: StreamFact, _ number: Int, _ object: AnyObject?) {
    switch fact {
    case .sender:
      sender = object
      if let object { senderType = type(of: object) }
    case .senderType: senderType = StreamFact.type(of: number)
    case .subscriber: subscriber = (object as? StreamFact.Box)?.content
    case .operatorName: operatorName = (object as? StreamFact.Box)?.content as? String
    case .place: place = (object as? StreamFact.Box)?.content
    case .date: date = (object as? StreamFact.Box)?.content
    case .counted: counter = Counter(entry: UInt32(number))
    case .received: counter?.count = UInt64(UInt(bitPattern: number))
    case .lastReceived: counter?.last = UInt32(number)
    case .target: target = object
    case .arrived: arrived = number
    case .sent: sent = number
    case .linkName: linkName = (object as? StreamFact.Box)?.content as? String
    case .held: held = number
    case .batch: batch = number
    case .sourceName: sourceName = (object as? StreamFact.Box)?.content as? String
    case .owner: owner = object
    case .made: made = object
    case .location: location = (object as? StreamFact.Box)?.content as? String
    case .upstream: upstreams.append((number, object))
    case .ended: ended.insert(number)
    case .others: others += number
    case .demand: demand = Self.demand(number)
    case .requested: isRequested = true
    case .waiting: waiting = number
    case .ready: ready = number
    case .capacity: capacity = number
    case .kept: (kept[number], lastKept) = (1, number)
    case .amount: kept[lastKept] = number
    case .bound: bound = number
    case .running: running = number
    case .limit: limit = Self.demand(number)
    case .succeeded: succeeded = number
    case .successors: successors = number
    case .open: isOpen = true
    case .closed: isOpen = false
    case .timer: hasTimer = true
    case .scheduled: (isScheduled, scheduledTime) = (true, number == 0 ? nil : UInt16(number))
    case .delivering: isDelivering = true
    case .result: hasResult = true
    case .promised: isPromised = true
    case .abandoned: isAbandoned = true
    case .task: (hasTask, isOperatorsTask) = (true, number == 1)
    case .taskWaits: (hasTask, isTaskWaiting) = (true, true)
    case .iterated: awaits = number == 1
    case .unconnected: isUnconnected = true
    case .finishing: isFinishing = true
    case .over: isOver = true
    case .subscribers: subscribers = number
    case .published: isPublished = true
    case .stale: isStale = true
    }
  }
}
