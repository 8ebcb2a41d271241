import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams

/// Saves a text when it has not changed for a second, and when its window is closed.
private final class NoteModel: ObservableObject {
  @Published var text = ""

  private let save: (String) -> Void
  private let isFaulty: Bool
  private var savedText = ""
  private var autoSave: AnyCancellable?

  init(save: @escaping (String) -> Void, scheduler: AnySchedulerOf<DispatchQueue>, isFaulty: Bool) {
    self.save = save
    self.isFaulty = isFaulty
    autoSave = $text.dropFirst().debounce(for: .seconds(1), scheduler: scheduler)
      .sink(with: self) { model, text in model.store(text) }
  }

  func close() {
    autoSave = nil
    // The fault: what has been typed in the last second is not saved.
    if !isFaulty { store(text) }
  }

  private func store(_ text: String) {
    guard text != savedText else { return }
    savedText = text
    save(text)
  }
}

extension PlantedFault {
  /// Shown by `a`, and closing within a second.
  static var lostEdit: Self {
    PlantedFault("the auto-save that loses the last edit when closed") { isFaulty in
      .lettersAndCancellation { letters, cancellation, scheduler in
        var file = ""
        let model = NoteModel(
          save: { file = $0 }, scheduler: scheduler.eraseToAnyScheduler(), isFaulty: isFaulty)
        let typing = letters.sink { model.text += $0 }
        scheduler.schedule(at: cancellation) {
          typing.cancel()
          model.close()
        }
        scheduler.run(keeping: typing)
        try claim(file == model.text, "the file contains \(file) instead of \(model.text)")
      }
    }
  }
}
