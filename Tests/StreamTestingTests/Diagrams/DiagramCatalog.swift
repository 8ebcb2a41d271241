/// The diagrams of the documentation: each shows one operator with an edge case.
///
/// If upstream is cancelled because a closure throws, the source is a cold one, whose line ends there.
enum DiagramCatalog {
  static let all: [DiagramEntry] =
    creating + subjects + transforming + coding + filtering + throwingFilters + reducing + throwingReducers + combining
    + flattening + recovering + timing + sharing + storing + observing + beyondCombine

  private static let beyondCombine: [DiagramEntry] =
    beyondCombineCreating + beyondCombineTransforming + beyondCombineCombining + beyondCombineGrouping
    + beyondCombineTiming + beyondCombineRecovering + beyondCombineSharing
}

/// Throwing closures throw for a value that is not a number.
func number(_ text: Text) throws -> Number {
  guard let number = text.compactMap({ Int($0) }) else { throw DiagramError() }
  return number
}
