import Streams

final class LoginViewModel: ObservableObject {
  @Published var name = ""
  @Published var password = ""
  @Published private(set) var isValid = false

  init() {
    $name.combineLatest($password)
      .map { name, password in !name.isEmpty && password.count >= 8 }
      .removeDuplicates()
      .assign(to: &$isValid)
  }
}
