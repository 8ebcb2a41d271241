import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams

/// A text whose changes are undone in steps: what is typed without a pause of 500 ms is one step.
private final class EditorModel: ObservableObject {
  @Published private(set) var text = ""

  private let isFaulty: Bool
  private var history = [""]
  /// The texts of unfinished steps; `nil` if the step has been undone.
  private let changes = PassthroughSubject<String?, Never>()
  private var cancellables: Set<AnyCancellable> = []

  init(scheduler: AnySchedulerOf<DispatchQueue>, isFaulty: Bool) {
    self.isFaulty = isFaulty
    changes.debounce(for: .milliseconds(500), scheduler: scheduler)
      .compactMap(\.self)
      .sink(with: self) { model, text in if text != model.history.last { model.history.append(text) } }
      .store(in: &cancellables)
  }

  func type(_ letter: String) {
    text += letter
    changes.send(text)
  }

  func undo() {
    if text == history.last {
      if history.count > 1 { history.removeLast() }
    } else if !isFaulty {
      // The fault: the step that has been undone is still added to the history when its pause is over.
      changes.send(nil)
    }
    text = history.last ?? ""
  }
}

extension PlantedFault {
  /// Shown by `a`, undone within 500 ms, and a second undo after that.
  static var undoneTextReturns: Self {
    PlantedFault("the undo that brings text back") { isFaulty in
      .lettersAndNumbers { letters, numbers, scheduler in
        let model = EditorModel(scheduler: scheduler.eraseToAnyScheduler(), isFaulty: isFaulty)
        var violations: [String] = []
        let typing = letters.sink { model.type($0) }
        let undoing = numbers.sink { _ in
          let before = model.text
          model.undo()
          let isShorter = before.hasPrefix(model.text) && (before.isEmpty || model.text.count < before.count)
          if !isShorter { violations.append("\(before) becomes \(model.text)") }
        }
        scheduler.run(keeping: typing, undoing)
        try claim(violations, equals: [], "undoing removes text at the end")
      }
    }
  }
}
