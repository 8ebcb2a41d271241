import Combine
import XCTest

// Overloads as programs add them to Combine's methods, without a default value for the parameter that they add. Combine never uses one:
// a call that omits the parameter calls Combine's method. With `isolation`, which has a default value too, it would be ambiguous.

enum Ownership { case strong, weak, unowned }

extension Publisher where Failure == Never {
  func assign<Root: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root, ownership: Ownership
  ) -> AnyCancellable {
    switch ownership {
    case .strong: return assign(to: keyPath, on: object)
    case .weak: return sink { [weak object] in object?[keyPath: keyPath] = $0 }
    case .unowned: return sink { [unowned object] in object[keyPath: keyPath] = $0 }
    }
  }

  func sink(label: String, receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    sink { value in
      OwnOverloadsTests.labels.append(label)
      receiveValue(value)
    }
  }
}

final class OwnOverloadsTests: XCTestCase {
  static var labels: [String] = []

  private final class Label { var text = "" }

  func testAssignWithAnOwnershipIsTheProgramsOwnAndWithoutOneCombines() {
    let subject = CurrentValueSubject<String, Never>("a")
    for (ownership, isRetained) in [(Ownership.strong, true), (.weak, false)] {
      var label: Label? = Label()
      weak let witness = label
      let cancellable = subject.assign(to: \.text, on: label!, ownership: ownership)
      XCTAssertEqual(witness?.text, "a")
      label = nil
      XCTAssertEqual(witness != nil, isRetained)
      cancellable.cancel()
    }
    let label = Label()
    let unowned = subject.assign(to: \.text, on: label, ownership: .unowned)
    let plain = subject.assign(to: \.text, on: label)
    subject.send("b")
    XCTAssertEqual(label.text, "b")
    unowned.cancel()
    plain.cancel()
  }

  func testSinkWithALabelIsTheProgramsOwnAndWithoutOneCombines() {
    Self.labels = []
    var values: [Int] = []
    let labeled = Just(1).sink(label: "one") { values.append($0) }
    let plain = Just(2).sink { values.append($0) }
    XCTAssertEqual(values, [1, 2])
    XCTAssertEqual(Self.labels, ["one"])
    labeled.cancel()
    plain.cancel()
  }
}
