import ArgumentParser
import Foundation

/// The comparison of figures with accepted ones.
enum Accepted {
  /// Returns a complaint if a figure differs too much from the accepted one.
  static func complaint(_ figure: Int, accepted: Int, allowedPercent: Int) -> String? {
    guard figure * 100 > accepted * (100 + allowedPercent) else { return nil }
    let allowed = allowedPercent == 0 ? "nothing is allowed" : "\(allowedPercent) % are allowed"
    return "\(percent(figure, accepted)) more than the accepted \(accepted.grouped), \(allowed)"
  }

  static func percent(_ figure: Int, _ reference: Int) -> String {
    String(format: "%.1f %%", Double(figure - reference) * 100 / Double(max(reference, 1)))
  }

  static func isMuchLess(_ figure: Int, accepted: Int, allowedPercent: Int) -> Bool {
    figure * 100 < accepted * (100 - allowedPercent)
  }
}

/// The outcome of comparing figures with a file of accepted ones.
struct Findings {
  /// The reasons for a failure.
  var complaints: [String] = []
  /// The figures that have improved so much that they are worth accepting.
  var hints: [String] = []

  /// Compares a figure with the accepted one.
  mutating func compare(_ figure: Int, _ name: String, _ unit: String, accepted: Int, allowedPercent: Int) {
    if let complaint = Accepted.complaint(figure, accepted: accepted, allowedPercent: allowedPercent) {
      complaints.append("\(name) takes \(figure.grouped) \(unit): \(complaint)")
    }
    if Accepted.isMuchLess(figure, accepted: accepted, allowedPercent: allowedPercent) {
      hints.append("\(name) takes \(figure.grouped) \(unit) instead of \(accepted.grouped)")
    }
  }

  /// Prints the findings, and fails if they require an action.
  ///
  /// - Parameters:
  ///   - command: The command that accepts the figures, if that is possible.
  ///   - success: The statement to print if there are no findings.
  func report(command: String? = nil, success: String) throws {
    if let command, !hints.isEmpty {
      print(hints.map { "Less than accepted: \($0)." }.joined(separator: "\n") + " To accept this: \(command)")
    }
    guard complaints.isEmpty else {
      print(complaints.map { "error: \($0)" }.joined(separator: "\n"))
      if let command {
        print(
          """

          Make it less. If it is worth its price, accept it, and say why in the commit:
            \(command)
          """)
      }
      throw ExitCode.failure
    }
    print(success)
  }
}
