internal import Streams

/// A choice among the actions that could run.
package struct Choice: Sendable {
  /// A choice that didn't pick the action that was scheduled first.
  struct Deviation {
    /// The date of the choice, in nanoseconds from the beginning of the timeline.
    let date: Int

    let chosen: Action

    let first: Action
  }

  /// The parts of an action that messages describe.
  struct Action {
    let sequence: Int
    let lane: ActionTable.Lane
    let location: CodeLocation?
  }

  /// The index of the action that ran, in the order in which the actions were scheduled.
  package let index: Int

  /// The number of actions that could run.
  package let count: Int

  /// The details of the choice, or `nil` if the index is zero.
  let deviation: Deviation?
}

/// The choices made in one run.
package final class ChoiceRecord: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` doesn't declare it. The lock protects the state.
  private struct State {
    var choices: [Choice] = []

    /// The tasks' names, by the sequence numbers of their jobs.
    var names: [Int: String] = [:]
  }

  private let state = Locked(State())

  package init() {}

  package var all: [Choice] { state.withLock { $0.choices } }

  func append(_ choice: Choice) { state.withLock { $0.choices.append(choice) } }

  func name(_ sequence: Int, _ name: String) { state.withLock { $0.names[sequence] = name } }

  /// Descriptions of the choices whose index isn't zero. Consecutive choices that delay the same action share a description.
  package var deviations: [String] {
    let (choices, names) = state.withLock { ($0.choices, $0.names) }
    var groups: [[Choice]] = []
    var waiting = -1
    for choice in choices {
      if let deviation = choice.deviation {
        if deviation.first.sequence == waiting {
          groups[groups.count - 1].append(choice)
        } else {
          groups.append([choice])
        }
      }
      waiting = choice.deviation?.first.sequence ?? -1
    }
    return groups.compactMap { Self.text($0, names) }
  }

  /// Describes choices that delay the same action. The text names one of the actions that ran, preferably one whose task has a
  /// name.
  private static func text(_ group: [Choice], _ names: [Int: String]) -> String? {
    let deviations = group.compactMap(\.deviation)
    guard let first = group.first, let deviation = deviations.first else { return nil }
    let shown = deviations.first { $0.chosen.name(in: names) != nil }?.chosen ?? deviation.chosen
    let others = group.count > 1 ? " and \(group.count - 1) more" : ""
    return "at \(DurationText.described(deviation.date)), of \(first.count) that could run, "
      + "\(shown.text(names))\(others) ran before \(deviation.first.text(names))"
  }
}

extension Choice.Action {
  /// The name of the action's task, if it's known.
  fileprivate func name(in names: [Int: String]) -> String? {
    // Closures and the ends of sleeps run in the task that advances time, whose name isn't theirs.
    lane == .closures || lane == .sleeps ? nil : names[sequence]
  }

  /// The action's kind, task name, sequence number and source location.
  fileprivate func text(_ names: [Int: String]) -> String {
    lane.actionText + (name(in: names).map { " of task \"\($0)\"" } ?? "") + " (number \(sequence)"
      + (location.map { ", armed at \($0.description)" } ?? "") + ")"
  }
}

extension ActionTable.Lane {
  fileprivate var actionText: String {
    switch self {
    case .closures: "a scheduled closure"
    case .mainActor: "a main-actor job"
    case .sleeps: "the end of a sleep"
    default: isOrdered ? "a serial executor's job" : "a job"
    }
  }
}
