extension Inspection: CustomStringConvertible, CustomReflectable {
  /// The tree of the stream: the sink in the first line, and below it the parts that it receives values from.
  ///
  /// ```text
  /// sink  SearchModel.swift:31   received 4, last 300 ms ago
  /// ← switchToLatest   outer live, inner live
  ///   ├ outer ← map ← removeDuplicates
  ///   │ ← debounce   1 value is waiting, due in 120 ms, on the main queue
  ///   │ ← @Published   1 subscriber
  ///   └ inner ← receive(on:)   nothing is waiting, on the main queue
  ///     ← Just   wants none
  /// ```
  ///
  /// An arrow shows the direction of the values. Operators without a state of their own appear between the parts.
  public var description: String {
    if parts.isEmpty { return status }
    var text = InspectionText(self)
    text.write()
    return text.lines.joined(separator: "\n") + (isTruncated ? "\n… and more parts" : "")
  }

  /// The first of the findings, which says why nothing arrives and how to fix that, or the ``status`` if there aren't
  /// any.
  ///
  /// ```swift
  /// print(Inspection(of: cancellable).diagnosis)
  /// ```
  public var diagnosis: String { findings.first?.text ?? status }

  /// A mirror with the parts, the findings, and whether parts are missing.
  public var customMirror: Mirror {
    Mirror(self, children: ["parts": parts, "findings": findings, "isTruncated": isTruncated], displayStyle: .struct)
  }
}

/// Writes the tree of a stream.
private struct InspectionText {
  let inspection: Inspection
  private(set) var lines: [String] = []
  private var written: Set<Int> = []

  init(_ inspection: Inspection) { self.inspection = inspection }

  mutating func write() {
    lines.append(line(of: 0))
    written.insert(0)
    writeSources(of: 0, indent: "", depth: 0)
  }

  /// Writes the sources of a part: a chain line by line, and several sources indented.
  private mutating func writeSources(of part: Int, indent: String, depth: Int) {
    var part = part
    while true {
      let upstreams = inspection.parts[part].upstreams
      guard upstreams.count == 1, let only = upstreams.first, only.role == nil else { break }
      guard writeLine(of: only, prefix: indent) else { return }
      part = only.part
    }
    let upstreams = inspection.parts[part].upstreams
    guard depth < 50 else {
      if !upstreams.isEmpty { lines.append(indent + "  …") }
      return
    }
    for (number, upstream) in upstreams.enumerated() {
      let isLast = number == upstreams.count - 1
      let isNew = writeLine(
        of: upstream, prefix: "\(indent)  \(isLast ? "└" : "├") \(upstream.role.map { "\($0) " } ?? "")")
      if isNew { writeSources(of: upstream.part, indent: indent + (isLast ? "    " : "  │ "), depth: depth + 1) }
    }
  }

  /// Writes the line of a source. Returns false if its own sources have been written before.
  private mutating func writeLine(of upstream: Inspection.Upstream, prefix: String) -> Bool {
    let isNew = written.insert(upstream.part).inserted
    let operators = zip(upstream.operators, upstream.flows).map { name, flow in
      "← \(name) " + (flow.map { "(\($0.received) in, \($0.sent) out) " } ?? "")
    }
    var line = prefix + operators.reversed().joined() + "← "
    line += isNew ? self.line(of: upstream.part, upstream) : "\(inspection.parts[upstream.part].name) (see above)"
    lines.append(line)
    return isNew
  }

  private func line(of part: Int, _ upstream: Inspection.Upstream? = nil) -> String {
    let part = inspection.parts[part]
    var line = part.name
    if let place = part.place { line += "  \(place)" }
    var states = part.states
    if let count = part.count {
      let last = part.sinceLastValue.map { ", last \($0 == 0 ? "just now" : "\(Duration.seconds($0).text) ago")" } ?? ""
      states.insert(part.kind == .sink ? "received \(count)\(last)" : "sent \(count)\(last)", at: 0)
    }
    if let count = upstream?.count { states.append("sent \(count) here") }
    if let demand = upstream?.demand, demand != .unlimited {
      states.append("downstream wants \(demand == .values(0) ? "none" : demand.text)")
    }
    if let age = part.age { states.append("made \(age == 0 ? "just now" : "\(Duration.seconds(age).text) ago")") }
    return states.isEmpty ? line : "\(line)   \(states.joined(separator: ", "))"
  }
}

extension Inspection.Demand {
  fileprivate var text: String {
    switch self {
    case .values(let count): "\(count)"
    case .unlimited: "everything"
    }
  }
}
