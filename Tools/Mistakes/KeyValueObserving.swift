// Expected diagnostics stand in the line of the mistake, regardless of its length.
// swift-format-ignore-file
import Combine
import Foundation

final class Player: NSObject {
  var rate = 1.0
}

func observing(_ player: Player, _ queue: OperationQueue) {
  _ = player.publisher(for: \.rate)  // expect: this platform has no key-value observing, which needs the Objective-C runtime; declare the property @Published and use its projection, such as object.$name, or send the values through a CurrentValueSubject
  _ = player.publisher(for: \.rate, options: [.initial, .new]).map { $0 * 2 }.sink { print($0) }  // expect: this platform has no key-value observing
  _ = player.publisher(for: \Player.rate, options: .prior).removeDuplicates()  // expect: this platform has no key-value observing
  _ = queue.publisher(for: \.operationCount).sink { print($0) }  // expect: this platform has no key-value observing
  _ = NotificationCenter.default.publisher(for: Notification.Name("x"), object: player)
}

/// No explanation hides an ordinary mistake.
func ordinary(_ player: Player) {
  _ = player.publisher(for: \.rat)  // expect: has no member 'rat'
  _ = NotificationCenter.default.publisher(for: "x")  // expect: cannot convert value of type 'String' to expected argument type 'Notification.Name'
}
