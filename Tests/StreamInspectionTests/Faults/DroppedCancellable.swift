import Streams

extension PlantedFault {
  /// A chat shows whether it is online, and never a message: that stream is cancelled as soon as it has begun. What the
  /// user can ask about is the other stream of the model, which lives, or the model.
  static let droppedCancellable = PlantedFault(
    name: "dropped cancellable",
    goodSentence: "The stream was cancelled at once: the cancellable that sink returned was released, not stored.",
    answer: [
      ["cancellable", "sink"],
      [
        "releas", "dropped", "not stored", "never stored", "discarded", "not kept", "not retained", "deallocated",
        "not held",
        "nobody kept", "nobody stored", "nothing holds", "nothing keeps",
      ],
    ],
    arriving: 0, expected: 2,
    plant: { setUp(Chat()) }, corrected: { setUp(StoringChat()) })
}

@MainActor
private func setUp(_ model: Chat) -> Planted {
  model.start()
  return Planted(
    cancellable: model.cancellables[0], keepsAlive: [model, model.messages, model.connection], line: model.line,
    received: { model.shown.count },
    provoke: {
      model.connection.send(true)
      model.messages.send(Message(text: "Hello", isHidden: false))
      model.messages.send(Message(text: "Anybody there?", isHidden: false))
    })
}

private struct Message {
  let text: String
  let isHidden: Bool
}

@MainActor
private class Chat {
  let connection = CurrentValueSubject<Bool, Never>(false)
  let messages = PassthroughSubject<Message, Never>()
  var isOnline = false
  var shown: [String] = []
  var cancellables: [AnyCancellable] = []
  var line = 0

  func start() {
    connection.removeDuplicates().sink { [weak self] in self?.isOnline = $0 }.store(in: &cancellables)
    showMessages()
  }

  func showMessages() {
    let texts = messages.filter { !$0.isHidden }.map(\.text)
    line = #line + 1
    _ = texts.sink { [weak self] in self?.shown.append($0) }  // Fault: the cancellable is not stored.
  }
}

private final class StoringChat: Chat {
  override func showMessages() {
    let texts = messages.filter { !$0.isHidden }.map(\.text)
    texts.sink { [weak self] in self?.shown.append($0) }.store(in: &cancellables)
  }
}
