import StreamAlgorithms
import StreamTesting
import Streams

private final class ChatModel<Messages: Publisher<String, Never>>: ObservableObject {
  @Published private(set) var lines: [String] = []

  private let messages: Messages
  private let isFaulty: Bool
  private var cancellables: Set<AnyCancellable> = []

  init(messages: Messages, isFaulty: Bool) {
    self.messages = messages
    self.isFaulty = isFaulty
  }

  /// Begins to listen, when the app is opened and each time that it comes to the foreground.
  func listen() {
    // The fault: the previous subscription stays.
    if !isFaulty { cancellables = [] }
    messages.sink(with: self) { model, message in model.lines.append(message) }.store(in: &cancellables)
  }
}

extension PlantedFault {
  /// Shown by two numbers, followed by `a`.
  static var listensTwice: Self {
    PlantedFault("the chat that listens twice after coming back") { isFaulty in
      .lettersAndNumbers { letters, numbers, scheduler in
        let model = ChatModel(messages: letters, isFaulty: isFaulty)
        var expected: [String] = []
        var isListening = false
        // The messages are counted by a subscription that is older than those of the model.
        let counting = letters.sink { if isListening { expected.append($0) } }
        let opening = numbers.sink { _ in
          isListening = true
          model.listen()
        }
        scheduler.run(keeping: counting, opening)
        try claim(model.lines, equals: expected, "each message is one line")
        let live = letters.subscriptions.filter { $0.end == nil }
        try claim(letters.end != nil || live.count <= 2, "\(live.count - 1) subscriptions of the model are active")
      }
    }
  }
}
