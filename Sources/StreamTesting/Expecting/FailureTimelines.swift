/// Timelines that a failure shows as text, one below the other, and attaches as a picture.
struct FailureTimelines {
  var rows: [TimelineText.Row]
  var title: String

  /// The duration of a frame in nanoseconds.
  var frame: Int

  /// The timelines as text, with the values that letters stand for.
  var text: String {
    let until = rows.map { max($0.until, $0.entries.last?.nanoseconds ?? 0) }.max() ?? 0
    let rows = rows.map { TimelineText.Row(name: $0.name, entries: $0.entries, from: $0.from, until: until) }
    let text = TimelineText(rows, frame: max(1, frame))
    return (text.lines() + text.letters.legend.map { "\($0.letter) = \($0.text)" }).joined(separator: "\n")
  }

  /// The timelines as a picture, if this type conforms to `DrawnAsPicture`.
  var svg: String? {
    // The code that draws them declares the conformance. It depends on this type, not the other way around.
    let timelines: Any = self
    return (timelines as? any DrawnAsPicture)?.picture
  }
}

protocol DrawnAsPicture {
  var picture: String { get }
}
