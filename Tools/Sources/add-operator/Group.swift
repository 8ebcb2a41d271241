import ArgumentParser

/// A folder of StreamAlgorithms.
enum Group: String, CaseIterable, ExpressibleByArgument {
  case Bounding, Combining, Concurrency, Creating, Filtering, Grouping, LookingBack, Observing, Recovering, Sharing
  case Timing, Transforming

  /// Where other files have the operators of a group.
  struct Places {
    /// The part of the catalog of the contract.
    let contract: String
    /// The part of the catalog of diagrams.
    let diagrams: String
    /// The file of the specification, for operators of one publisher.
    let specification: String
    /// The heading of "Choosing an algorithm".
    let gallery: String
    /// The heading of the list of operators.
    let index: String
    /// The heading of the list of types.
    let types: String

    init(_ contract: String, _ diagrams: String, _ specification: String, _ headings: (String, String, String)) {
      self.contract = contract
      self.diagrams = diagrams
      self.specification = specification
      gallery = "## \(headings.0)"
      index = "### \(headings.1)"
      types = "### \(headings.2)"
    }
  }

  var places: Places {
    let transforming = "Transforming"
    return switch self {
    case .Bounding:
      Places("Sharing", "Sharing", transforming, ("Buffer or repeat", "Bounding what waits", "Bounds and draining"))
    case .Combining:
      Places(rawValue, rawValue, rawValue, ("Combine several streams", "Combining publishers", "Combining"))
    case .Concurrency:
      Places(transforming, transforming, "Timing", ("Tasks and actors", "Swift concurrency", "Tasks and actors"))
    case .Creating:
      Places(rawValue, rawValue, transforming, ("Create a stream", "Transforming values", "Creating publishers"))
    case .Filtering:
      Places(transforming, transforming, rawValue, ("Drop values", "Filtering values", "Looking back and filtering"))
    case .Grouping:
      Places(rawValue, rawValue, rawValue, ("Collect or reduce", "Collecting and grouping values", "Grouping"))
    case .Observing:
      Places(rawValue, transforming, transforming, ("Observe and debug", "Observing and debugging", "Observing"))
    case .Recovering:
      Places(
        rawValue, rawValue, rawValue, ("Handle errors", "Handling errors", "Retries, failures and events"))
    case .Sharing:
      Places(
        rawValue, rawValue, transforming, ("Share one subscription", "Sharing a subscription", "Subjects and relays"))
    case .Timing:
      Places(rawValue, rawValue, rawValue, ("Time and pace", "Controlling time", "Time"))
    case .LookingBack, .Transforming:
      Places(
        transforming, transforming, transforming,
        ("Transform each value", "Transforming values", "Looking back and filtering"))
    }
  }
}
