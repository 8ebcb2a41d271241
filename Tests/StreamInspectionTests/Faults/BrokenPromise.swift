import Streams

extension PlantedFault {
  /// The name of a contact is looked up. On the path for an unknown one, the promise is forgotten.
  static let brokenPromise = PlantedFault(
    name: "promise that is never kept",
    goodSentence: "The Future is pending, and its promise was released without a call.",
    answer: [
      ["future", "promise"],
      [
        "releas", "dropped", "never called", "never kept", "without a call", "not called", "never be", "uncalled",
        "not kept", "no one can call", "nobody can call", "broken",
      ],
    ],
    arriving: 0, expected: 2,
    plant: { setUp(AddressBook()) }, corrected: { setUp(CompleteAddressBook()) })
}

@MainActor
private func setUp(_ book: AddressBook) -> Planted {
  let model = ContactModel(book)
  model.selection.send(7)
  return Planted(
    cancellable: model.cancellables[0], keepsAlive: [model, model.selection, book], line: book.line,
    received: { model.names.count },
    provoke: { model.selection.send(8) })
}

private class AddressBook {
  let names = [1: "Ada", 2: "Grace"]
  var line = 0

  func name(of id: Int) -> Future<String, Never> {
    line = #line + 2
    return Future { [names] promise in
      guard let name = names[id] else { return }  // Fault: the promise is not called.
      promise(.success(name))
    }
  }
}

private final class CompleteAddressBook: AddressBook {
  override func name(of id: Int) -> Future<String, Never> {
    Future { [names] promise in
      guard let name = names[id] else { return promise(.success("unknown")) }
      promise(.success(name))
    }
  }
}

@MainActor
private final class ContactModel {
  let selection = PassthroughSubject<Int, Never>()
  var names: [String] = []
  var cancellables: [AnyCancellable] = []

  init(_ book: AddressBook) {
    selection.flatMap { [book] in book.name(of: $0) }
      .sink { [weak self] in self?.names.append($0) }
      .store(in: &cancellables)
  }
}
