import Foundation

extension Double {
  /// With a digit behind the point where the number is small.
  var figure: String { self < 10 ? String(format: "%.1f", self) : grouped }

  /// With so many digits behind the point.
  func formatted(digits: Int) -> String { String(format: "%.\(digits)f", self) }

  /// Rounded, with commas between thousands.
  var grouped: String {
    let digits = String(Int(rounded()))
    var result = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0, result != "-" { result.append(",") }
      result.append(digit)
    }
    return result
  }

  /// How many times something, with two digits that mean something.
  var times: String {
    switch self {
    case 10...: "\(grouped)×"
    case 1...: "\(String(format: "%.1f", self))×"
    default: "\(String(format: "%.2f", self))×"
    }
  }
}

extension Int {
  /// With commas between thousands.
  var grouped: String { Double(self).grouped }
}
