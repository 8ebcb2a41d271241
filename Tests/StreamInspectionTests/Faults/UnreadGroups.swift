import StreamAlgorithms
import Streams

extension PlantedFault {
  /// An inbox collects conversations, and shows none of their messages: no conversation is subscribed to.
  ///
  /// In Reactor, a group that nobody reads fills up and then holds the source up. Here it keeps its newest `bufferSize`
  /// messages, drops the others, and the source goes on; but what was to be shown does not arrive, either.
  static let unreadGroups = PlantedFault(
    name: "groups that nobody subscribes to",
    goodSentence: "groupBy has 2 open groups to which nobody has subscribed, and the values go there.",
    answer: [
      ["group"],
      [
        "nobody", "no subscriber", "no one", "not subscribed", "without a subscriber", "never subscribed",
        "unsubscribed",
      ],
    ],
    arriving: 0, expected: 4,
    plant: { setUp(Inbox()) }, corrected: { setUp(OpenInbox()) })
}

@MainActor
private func setUp(_ model: Inbox) -> Planted {
  model.start()
  model.messages.send(Mail(sender: "Ada", text: "Hello"))
  model.messages.send(Mail(sender: "Grace", text: "Hi"))
  return Planted(
    cancellable: model.cancellables[0], keepsAlive: [model, model.messages], line: model.line,
    received: { model.rows.count },
    provoke: {
      model.messages.send(Mail(sender: "Ada", text: "Are you there?"))
      model.messages.send(Mail(sender: "Grace", text: "Look at this"))
    })
}

private struct Mail {
  let sender: String
  let text: String
}

@MainActor
private class Inbox {
  typealias Conversation = GroupedPublisher<String, Mail, Never>

  let messages = PassthroughSubject<Mail, Never>()
  var conversations: [Conversation] = []
  var rows: [String] = []
  var cancellables: [AnyCancellable] = []
  var line = 0

  func start() {
    line = #line + 2
    messages.groupBy({ $0.sender }, maxGroups: 50, bufferSize: 1)
      .sink { [weak self] in self?.conversations.append($0) }  // Fault: nobody opens the conversation.
      .store(in: &cancellables)
  }

  func open(_ conversation: Conversation) {
    conversation.map { "\($0.sender): \($0.text)" }
      .sink { [weak self] in self?.rows.append($0) }
      .store(in: &cancellables)
  }
}

private final class OpenInbox: Inbox {
  override func start() {
    messages.groupBy({ $0.sender }, maxGroups: 50, bufferSize: 1)
      .sink { [weak self] in self?.open($0) }
      .store(in: &cancellables)
  }
}
