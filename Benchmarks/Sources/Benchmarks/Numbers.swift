import Foundation

extension Double {
  /// The number as text, with one decimal digit if it is small.
  var figure: String { self < 10 ? String(format: "%.1f", self) : grouped }

  /// Returns the number with the given number of decimal digits.
  func formatted(digits: Int) -> String { String(format: "%.\(digits)f", self) }

  /// The rounded number with commas between thousands.
  var grouped: String {
    let digits = String(Int(rounded()))
    var result = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0, result != "-" { result.append(",") }
      result.append(digit)
    }
    return result
  }

  /// The number as a factor, with two significant digits.
  var times: String {
    switch self {
    case 10...: "\(grouped)×"
    case 1...: "\(String(format: "%.1f", self))×"
    default: "\(String(format: "%.2f", self))×"
    }
  }
}

extension Int {
  /// The number with commas between thousands.
  var grouped: String { Double(self).grouped }
}
