/// Prints what happens on the first scheduler's time as marbles: values, `|` for the end and `#` for a failure.
func marbles(_ events: [(time: Int, mark: String)]) -> String {
  let last = events.map(\.time).max() ?? 0
  return (0...last).map { time in
    let marks = events.filter { $0.time == time }.map(\.mark)
    return marks.isEmpty ? "-" : marks.count == 1 ? marks[0] : "(\(marks.joined(separator: " ")))"
  }.joined(separator: marksAreShort(events) ? "" : " ")
}

private func marksAreShort(_ events: [(time: Int, mark: String)]) -> Bool { events.allSatisfy { $0.mark.count == 1 } }

extension Case {
  /// The sources, and what a subscriber receives.
  func pictures(_ results: [(name: String, lines: [String])]) -> String {
    var text = ""
    for source in sources.indices {
      let events = script.compactMap { step -> (time: Int, mark: String)? in
        switch step.step {
        case .send(let value, source): (step.time, "\(value)")
        case .end(let ending, source): (step.time, ending == .failed ? "#" : "|")
        default: nil
        }
      }
      if !events.isEmpty { text += "  source \(source): \(marbles(events))\n" }
    }
    for (name, lines) in results {
      let events = lines.compactMap { line -> (time: Int, mark: String)? in
        let words = line.split(separator: " ")
        guard words.count == 3, let time = Int(words[0]) else { return nil }
        let mark = words[2] == "finished" ? "|" : words[2] == "failed" ? "#" : String(words[2])
        return (time, mark)
      }
      text += "  \(name): \(marbles(events))\n"
    }
    return text
  }
}
