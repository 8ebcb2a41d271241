// Expected diagnostics stand in the line of the mistake, regardless of its length.
// swift-format-ignore-file
import Combine

enum Ownership { case strong, weak }

// With Combine, these default values are never used: a call that omits the parameter calls Combine's method. The candidate of Streams,
// which the compiler shows, says what to do. `Tests/CombineTests/Operators/OwnOverloads.swift` does it.
//
// shown: Ambiguous with your overload? Remove the default value of its additional parameter.
extension Publisher where Failure == Never {
  func assign<Root: AnyObject>(to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root, ownership: Ownership = .strong) -> AnyCancellable {
    switch ownership {
    case .strong: return assign(to: keyPath, on: object)  // expect: ambiguous use of 'assign'
    case .weak: return sink { [weak object] in object?[keyPath: keyPath] = $0 }  // expect: ambiguous use of 'sink'
    }
  }

  func sink(label: String = "", receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}
