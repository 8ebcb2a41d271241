/// The actions that a timeline keeps, whatever its time is made of.
///
/// This half of a timeline is not generic: cancelling reaches it alone, so that it is compiled once and costs the same
/// for every kind of time. An action has a place, which is used again when the action has gone, and a sequence number,
/// which never is: the two together name it, and a name whose action has gone finds nothing.
///
/// An action that is taken out is returned, never released here: it dies where no lock is held.
@usableFromInline
struct ActionTable {
  /// An action.
  ///
  /// As a bare closure it would be wrapped, and its wrapper allocated, whenever it passes through generic code.
  @usableFromInline
  struct Action {
    @usableFromInline let run: () -> Void

    @inlinable
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  /// What names an action.
  @usableFromInline
  struct Name {
    @usableFromInline let place: Int
    @usableFromInline let sequence: Int

    @inlinable
    init(place: Int, sequence: Int) {
      self.place = place
      self.sequence = sequence
    }
  }

  @usableFromInline
  struct Place {
    @usableFromInline var action: Action?
    @usableFromInline var sequence: Int
    /// Of an action that repeats, the index of its repetition; of a vacant place, the next vacant one; or else -1.
    @usableFromInline var link: Int

    @inlinable
    init(action: Action?, sequence: Int, link: Int) {
      self.action = action
      self.sequence = sequence
      self.link = link
    }
  }

  @usableFromInline var places: [Place] = []
  @usableFromInline var firstVacancy = -1
  @usableFromInline var vacantRepetitions: [Int] = []
  @usableFromInline var nextSequence = 0

  /// How many actions there are.
  @usableFromInline var liveCount = 0

  /// How many actions have been cancelled whose date has not been forgotten yet.
  @usableFromInline var staleCount = 0

  @inlinable
  init() {}

  /// Keeps an action, and gives it the next sequence number.
  @inlinable
  mutating func insert(_ action: Action, repetition: Int = -1) -> Name {
    let sequence = nextSequence
    nextSequence &+= 1
    liveCount &+= 1
    let vacancy = firstVacancy
    guard vacancy >= 0 else {
      places.append(Place(action: action, sequence: sequence, link: repetition))
      return Name(place: places.count &- 1, sequence: sequence)
    }
    firstVacancy = places[vacancy].link
    places[vacancy] = Place(action: action, sequence: sequence, link: repetition)
    return Name(place: vacancy, sequence: sequence)
  }

  @inlinable
  func contains(_ name: Name) -> Bool { places[name.place].sequence == name.sequence }

  /// Takes out an action that is there, and makes its place vacant.
  @inlinable
  mutating func remove(at place: Int) -> Action? {
    let action = places[place].action.take()
    places[place].sequence = -1
    places[place].link = firstVacancy
    firstVacancy = place
    liveCount &-= 1
    return action
  }

  /// Takes out an action that will not run any more, if it is still there.
  mutating func cancel(_ name: Name) -> Action? {
    guard name.place < places.count, contains(name) else { return nil }
    let repetition = places[name.place].link
    if repetition >= 0 { vacantRepetitions.append(repetition) }
    staleCount += 1
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
    }
    return places
  }
}
