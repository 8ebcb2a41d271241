import ArgumentParser
import Foundation

/// Figures beside those that were accepted.
enum Accepted {
  /// What is wrong with a figure that was accepted as another one.
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

/// What comparing figures with a file of accepted ones came to.
struct Findings {
  /// What fails.
  var complaints: [String] = []
  /// What has become so much less that it is worth keeping.
  var hints: [String] = []

  /// Compares a figure with what was accepted.
  mutating func compare(_ figure: Int, _ name: String, _ unit: String, accepted: Int, allowedPercent: Int) {
    if let complaint = Accepted.complaint(figure, accepted: accepted, allowedPercent: allowedPercent) {
      complaints.append("\(name) takes \(figure.grouped) \(unit): \(complaint)")
    }
    if Accepted.isMuchLess(figure, accepted: accepted, allowedPercent: allowedPercent) {
      hints.append("\(name) takes \(figure.grouped) \(unit) instead of \(accepted.grouped)")
    }
  }

  /// Says what was found, and fails if something has to be done about it.
  ///
  /// - Parameters:
  ///   - command: What accepts the figures, if that can be done.
  ///   - success: What holds if nothing was found.
  func report(command: String? = nil, success: String) throws {
    if let command, !hints.isEmpty {
      print(hints.map { "Less than accepted: \($0)." }.joined(separator: "\n") + " Keep it so: \(command)")
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
