import Streams

extension PlantedFault {
  /// A composer saves its draft when it is released with its screen. Its own stream keeps it, so that no draft is
  /// saved, and the stream lives on: the keyboard has another target, and nobody can send to the subject any more.
  static let retainCycle = PlantedFault(
    name: "retain cycle",
    goodSentence:
      "Nobody can send to the PassthroughSubject: only this stream retains it, through the object that it assigns to.",
    answer: [
      ["passthroughsubject", "subject", "composer", "assign"],
      [
        "cycle", "retain", "captur", "itself", "only this stream", "only by", "nothing else", "nobody", "no one",
        "nothing outside",
      ],
    ],
    arriving: 0, expected: 1,
    plant: { setUp { Composer($0) } }, corrected: { setUp { ReleasedComposer($0) } })
}

/// Opens a screen, types, and closes it: what follows no longer has the composer.
@MainActor
private func setUp(_ makeComposer: (DraftStore) -> Composer) -> Planted {
  let store = DraftStore()
  let keyboard = Keyboard()
  let composer = makeComposer(store)
  composer.start()
  keyboard.target = composer.keystrokes.send
  keyboard.type("Dear")
  keyboard.target = nil
  return Planted(
    cancellable: composer.cancellable!, keepsAlive: [store, keyboard],
    alsoReleased: [WeakReference(composer), WeakReference(composer.keystrokes)], line: composer.line,
    received: { store.drafts.count },
    provoke: { keyboard.type("Ada") })
}

private final class DraftStore {
  var drafts: [String] = []
}

private final class Keyboard {
  var target: ((String) -> Void)?

  func type(_ text: String) { target?(text) }
}

private class Composer {
  let keystrokes = PassthroughSubject<String, Never>()
  let store: DraftStore
  var draft = ""
  var cancellable: AnyCancellable?
  var line = 0

  init(_ store: DraftStore) { self.store = store }

  func start() {
    line = #line + 1
    cancellable = keystrokes.scan("", +).assign(to: \.draft, on: self)  // Fault: the stream retains the composer.
  }

  deinit { store.drafts.append(draft) }
}

private final class ReleasedComposer: Composer {
  override func start() {
    cancellable = keystrokes.scan("", +).sink { [weak self] in self?.draft = $0 }
  }
}
