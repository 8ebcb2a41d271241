/// The actions that a timeline keeps.
///
/// Cancelling reaches this half of a timeline alone. An action has a place, which is used again when the action has gone,
/// and a sequence number, which never is: the two together name it, and a name whose action has gone finds nothing.
///
/// An action that is taken out is returned, never released here: it dies where no lock is held.
@usableFromInline
struct ActionTable {
  /// An action.
  ///
  /// As a bare closure it would be wrapped, and its wrapper allocated, whenever it passes through generic code.
  struct Action {
    let run: () -> Void
  }

  /// What names an action.
  @usableFromInline
  struct Name {
    let place: Int
    let sequence: Int
  }

  struct Place {
    var action: Action?
    var sequence: Int
    /// Of an action that repeats, the index of its repetition; of a vacant place, the next vacant one; or else -1.
    var link: Int
    var lane: Lane
  }

  /// What runs one after the other in the order in which it was armed, also where orders are explored.
  struct Lane: Hashable {
    let number: Int

    /// Scheduled closures.
    static let closures = Lane(number: 0)

    /// The main actor of a virtual world.
    static let mainActor = Lane(number: 1)

    /// Work that any thread may take up at any time: it has no order with anything.
    static let none = Lane(number: -1)

    /// What ends the sleeps of tasks; it has no order with anything either.
    static let sleeps = Lane(number: -2)

    /// Whether it has an order.
    var isOrdered: Bool { number >= 0 }
  }

  /// Comes after everything else of its date.
  static let barrier = 1 << 62

  var places: [Place] = []
  var firstVacancy = -1
  var vacantRepetitions: [Int] = []
  var nextSequence = 0

  /// How many actions there are.
  var liveCount = 0

  /// How many actions have been cancelled whose date has not been forgotten yet.
  var staleCount = 0

  /// How many actions there are that end the sleep of a task.
  var sleepCount = 0

  /// How many actions have ever been cancelled.
  var cancelCount = 0

  /// Keeps an action, and gives it the next sequence number.
  mutating func insert(_ action: Action, repetition: Int = -1, lane: Lane, isBarrier: Bool) -> Name {
    let sequence = isBarrier ? nextSequence | Self.barrier : nextSequence
    nextSequence &+= 1
    liveCount &+= 1
    if lane == .sleeps { sleepCount &+= 1 }
    let vacancy = firstVacancy
    guard vacancy >= 0 else {
      places.append(Place(action: action, sequence: sequence, link: repetition, lane: lane))
      return Name(place: places.count &- 1, sequence: sequence)
    }
    firstVacancy = places[vacancy].link
    places[vacancy] = Place(action: action, sequence: sequence, link: repetition, lane: lane)
    return Name(place: vacancy, sequence: sequence)
  }

  func contains(_ name: Name) -> Bool { places[name.place].sequence == name.sequence }

  /// Takes out an action that is there, and makes its place vacant.
  mutating func remove(at place: Int) -> Action? {
    let action = places[place].action.take()
    places[place].sequence = -1
    places[place].link = firstVacancy
    firstVacancy = place
    liveCount &-= 1
    if places[place].lane == .sleeps { sleepCount &-= 1 }
    return action
  }

  /// Takes out an action that will not run any more, if it is still there.
  mutating func cancel(_ name: Name) -> Action? {
    guard name.place < places.count, contains(name) else { return nil }
    let repetition = places[name.place].link
    if repetition >= 0 { vacantRepetitions.append(repetition) }
    staleCount += 1
    cancelCount &+= 1
    return remove(at: name.place)
  }

  /// Takes out everything.
  mutating func removeAll() -> [Place] {
    defer {
      places = []
      firstVacancy = -1
      vacantRepetitions = []
      liveCount = 0
      staleCount = 0
      sleepCount = 0
    }
    return places
  }
}
