import Streams

extension PlantedFault {
  /// Files are to be uploaded one after the other. The progress of an upload reaches 1 and does not end, so that the
  /// first one keeps the only slot.
  static let endlessInner = PlantedFault(
    name: "flatMap of one publisher that never ends",
    goodSentence: "flatMap(maxPublishers: .max(1)) has no free slot: its only publisher has not finished.",
    answer: [
      ["flatmap"], ["inner", "slot", "max(1)", "maxpublishers", "one publisher", "1 publisher", "at a time"],
      ["not finish", "not end", "never", "still", "has not", "running", "unfinished", "occupied", "wait"],
    ],
    arriving: 1, expected: 3,
    plant: { setUp(UploadQueue()) }, corrected: { setUp(EndingUploadQueue()) })
}

@MainActor
private func setUp(_ queue: UploadQueue) -> Planted {
  queue.upload(["a.jpg", "b.jpg", "c.jpg"])
  queue.uploader.advance("a.jpg")
  return Planted(
    cancellable: queue.cancellable!, keepsAlive: [queue, queue.uploader], line: queue.line,
    received: { queue.uploaded.count },
    provoke: {
      queue.uploader.advance("b.jpg")
      queue.uploader.advance("c.jpg")
    })
}

private struct Upload {
  let file: String
  let fraction: Double

  var isDone: Bool { fraction == 1 }
}

private final class Uploader {
  private var uploads: [String: PassthroughSubject<Upload, Never>] = [:]

  func progress(of file: String) -> PassthroughSubject<Upload, Never> {
    if let upload = uploads[file] { return upload }
    let upload = PassthroughSubject<Upload, Never>()
    uploads[file] = upload
    return upload
  }

  /// Uploads a file, as the network does.
  func advance(_ file: String) {
    for fraction in [0.25, 0.5, 1] { progress(of: file).send(Upload(file: file, fraction: fraction)) }
  }
}

private class UploadQueue {
  let uploader = Uploader()
  var uploaded: [String] = []
  var cancellable: AnyCancellable?
  var line = 0

  func upload(_ files: [String]) {
    line = #line + 2
    cancellable = files.publisher
      .flatMap(maxPublishers: .max(1)) { [uploader] in uploader.progress(of: $0).filter(\.isDone) }  // Fault: no end.
      .map(\.file)
      .sink { [weak self] in self?.uploaded.append($0) }
  }
}

private final class EndingUploadQueue: UploadQueue {
  override func upload(_ files: [String]) {
    cancellable = files.publisher
      .flatMap(maxPublishers: .max(1)) { [uploader] in uploader.progress(of: $0).first(where: \.isDone) }
      .map(\.file)
      .sink { [weak self] in self?.uploaded.append($0) }
  }
}
