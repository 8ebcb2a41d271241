import Dispatch
import StreamSchedulers
import Streams

private final class SignUpModel: ObservableObject {
  @Published var name = ""
  @Published var age = 0
  @Published private(set) var canSubmit = false

  /// The result of asking the server for a name.
  struct Check {
    var name: String
    var isAvailable: Bool
  }

  init(
    isAvailable: @escaping (String) -> AnyPublisher<Bool, Never>, scheduler: AnySchedulerOf<DispatchQueue>,
    isFaulty: Bool
  ) {
    let checks =
      $name
      .debounce(for: .milliseconds(300), scheduler: scheduler)
      .map { name in isAvailable(name).map { Check(name: name, isAvailable: $0) } }
      .switchToLatest()
      .prepend(Check(name: "", isAvailable: false))
    $name.combineLatest(checks, $age)
      .map { name, check, age in
        // The fault: until the name has been checked, the check of the previous one counts.
        let isChecked = isFaulty || check.name == name
        return !name.isEmpty && isChecked && check.isAvailable && age > 0
      }
      .assign(to: &$canSubmit)
  }
}

extension PlantedFault {
  /// Shown by a positive number and `a`, and `b` once `a` has been checked, which takes 500 ms.
  static var enabledTooEarly: Self {
    PlantedFault("the form that enables its button before the check") { isFaulty in
      .lettersAndNumbers { letters, numbers, scheduler in
        var checkedNames: Set<String> = []
        let model = SignUpModel(
          isAvailable: { name in
            Just(true).delay(for: .milliseconds(200), scheduler: scheduler)
              .handleEvents(receiveOutput: { _ in checkedNames.insert(name) })
              .eraseToAnyPublisher()
          },
          scheduler: scheduler.eraseToAnyScheduler(), isFaulty: isFaulty)
        var violations: [String] = []
        func look() {
          guard model.canSubmit else { return }
          if !checkedNames.contains(model.name) { violations.append("\(model.name) can be submitted unchecked") }
          if model.age <= 0 { violations.append("an age of \(model.age) can be submitted") }
        }
        let typing = letters.sink {
          model.name = $0
          look()
        }
        let choosing = numbers.sink {
          model.age = $0
          look()
        }
        scheduler.run(keeping: typing, choosing)
        try claim(violations, equals: [], "only checked forms can be submitted")
        try claim(model.canSubmit == (!model.name.isEmpty && model.age > 0), "at rest, the button is wrong")
      }
    }
  }
}
