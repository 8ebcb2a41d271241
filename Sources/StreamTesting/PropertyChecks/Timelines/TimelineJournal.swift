internal import Foundation
internal import StreamSchedulers
internal import Streams

/// The file in which a check notes each run before performing it, so a run in which the process ends isn't lost.
///
/// The next check at the same location begins with that run and continues to shrink it, across several processes if necessary.
/// The file is removed when the check ends, and when a signal interrupts the process, because the run didn't cause that.
///
/// A journal is used only on its check's thread.
final class TimelineJournal {
  /// What the check is doing with the noted run.
  enum Phase: String, Codable {
    /// Performing the run as one of many, any of which may have ended the process.
    case searching

    /// Repeating a run in which an earlier process may have ended.
    case confirming

    /// Performing a run that's smaller than one in which a process ended.
    case shrinking

    /// Nothing: the smallest run in which a process ends has been reported.
    case reported

    /// Repeating the reported run, because the code under test may have changed.
    case verifying
  }

  /// The content of the file.
  struct Entry: Codable, Equatable {
    var version = 1
    var phase: Phase
    var run: DrawnRun

    /// The smallest run so far in which a process ended.
    var smallest: DrawnRun?

    var endedProcesses = 0

    /// The number of the run in the search, before it was shrunk.
    var number = 0
  }

  private let file: URL

  /// The entry that an earlier process left behind.
  let left: Entry?

  /// The open file, which this process has locked until the check ends.
  private let handle: FileHandle

  /// The file's position in the list of files that an interruption removes.
  private let slot: Int?

  /// The current content, without its run.
  private var current: Entry

  /// Opens a check's journal, or returns `nil` if the file can't be created, or if another check at the same location,
  /// in this process or another, is using it.
  init?(_ location: CodeLocation, folder: URL = TimelineJournal.folder) {
    let name = "\(location.fileID)-\(location.line)".map { $0.isLetter || $0.isNumber || $0 == "." ? $0 : "-" }
    file = folder.appendingPathComponent(String(name.suffix(200)) + ".json")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    Self.removeOldFiles(in: folder)
    // The system releases the lock at the end of the process, too.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
    left = (try? handle.readToEnd()).flatMap { try? JSONDecoder().decode(Entry.self, from: $0) }
    current = Entry(phase: .searching, run: DrawnRun(timelines: []))
    slot = OpenJournals.add(file.path)
  }

  deinit {
    if let slot { OpenJournals.remove(slot) }
    // Closing the file isn't enough: a process that's being started on another thread has a copy of the descriptor
    // until its program begins.
    flock(handle.fileDescriptor, LOCK_UN)
  }

  /// Removes journals that no check has written to for a day, for example because the check's line has moved.
  ///
  /// Nothing is lost: the search finds the run again.
  private static func removeOldFiles(in folder: URL) {
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: [.contentModificationDateKey])
    for file in files ?? [] where file.pathExtension == "json" {
      let date = try? file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
      guard let date, date.timeIntervalSinceNow < -86_400, let data = try? Data(contentsOf: file),
        (try? JSONDecoder().decode(Entry.self, from: data)) != nil
      else { continue }
      try? FileManager.default.removeItem(at: file)
    }
  }

  /// The folder for journals: the one that the environment variable `STREAMS_TIMELINES` names, or else a folder in the
  /// tested package's build folder or among temporary files.
  static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["STREAMS_TIMELINES"], !path.isEmpty {
      return URL(fileURLWithPath: path)
    }
    let build = URL(fileURLWithPath: FileManager.default.currentDirectoryPath).appendingPathComponent(".build")
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: build.path, isDirectory: &isFolder)
    let parent = exists && isFolder.boolValue ? build : FileManager.default.temporaryDirectory
    return parent.appendingPathComponent("timelines")
  }()

  /// Notes that a run is about to begin, or was reported.
  func note(_ run: DrawnRun, _ phase: Phase) {
    current.run = run
    current.phase = phase
    guard let data = try? JSONEncoder().encode(current) else { return }
    // The write is neither atomic nor synchronized with the disk: data that a process has written outlives the process.
    try? handle.seek(toOffset: 0)
    try? handle.write(contentsOf: data)
    try? handle.truncate(atOffset: UInt64(data.count))
  }

  /// Notes the number of the search's current run.
  func note(number: Int) { current.number = number }

  /// Notes the smallest run in which a process has ended, for all entries that follow.
  func noteEnd(in run: DrawnRun, processes: Int) {
    current.smallest = run
    current.endedProcesses = processes
    current.number = left?.number ?? 0
  }

  /// Forgets the processes that ended, because this one has survived the run.
  func forgetEnd() { (current.smallest, current.endedProcesses) = (nil, 0) }

  func remove() { try? FileManager.default.removeItem(at: file) }
}
