internal import Foundation
internal import StreamSchedulers
internal import Streams

/// The file in which a check notes each run before it makes it, so that a run in which the process ends isn't lost.
///
/// The next check at the same location begins with that run, and goes on making it smaller, if need be across several
/// processes. The file is removed when the check ends, and when the process is interrupted, because the run isn't the
/// reason then. Files of checks that are no longer made are removed after a day.
///
/// Only its check's thread uses a journal.
final class TimelineJournal {
  /// The work on a run during which the process ended.
  enum Phase: String, Codable {
    /// Making the run among others, any of which may have ended the process.
    case searching

    /// Making a run again that an earlier process may have ended in.
    case confirming

    /// Making a run that is smaller than one in which a process ended.
    case shrinking

    /// Nothing: the smallest run in which a process ends has been reported.
    case reported

    /// Making the reported run again, because the code under test may have changed.
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

    /// The number of the run that was being made first.
    var number = 0
  }

  private let file: URL

  /// The remains of an earlier process.
  let left: Entry?

  /// The open file, which this process has locked until the check ends.
  private let handle: FileHandle

  /// The location of the file in the list of files that an interruption removes.
  private let slot: Int?

  /// The current content, without its run.
  private var current: Entry

  /// Opens the journal of a check, or returns `nil` if another check at the same location is using it, in this process
  /// or another, or if the file can't be created.
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
    // Closing the file isn't enough: a process that is being started on another thread has a copy of the descriptor until its
    // program begins.
    flock(handle.fileDescriptor, LOCK_UN)
  }

  /// Removes the journals that no check has written for a day, for example because its line has moved.
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

  /// The folder of journals: the value of the environment variable `STREAMS_TIMELINES`, one in the build folder of the
  /// package that is tested, or one among temporary files.
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

  /// Notes that a run is about to be made, or was reported.
  func note(_ run: DrawnRun, _ phase: Phase) {
    current.run = run
    current.phase = phase
    guard let data = try? JSONEncoder().encode(current) else { return }
    // Neither atomic nor synchronized with the disk: what a process has written outlives it.
    try? handle.seek(toOffset: 0)
    try? handle.write(contentsOf: data)
    try? handle.truncate(atOffset: UInt64(data.count))
  }

  /// Notes the number of the run that the search is making.
  func note(number: Int) { current.number = number }

  /// Notes the smallest run in which a process has ended, for all entries that follow.
  func noteEnd(in run: DrawnRun, processes: Int) {
    current.smallest = run
    current.endedProcesses = processes
    current.number = left?.number ?? 0
  }

  /// Forgets what was noted of processes that ended: the run hasn't ended this one.
  func forgetEnd() { (current.smallest, current.endedProcesses) = (nil, 0) }

  func remove() { try? FileManager.default.removeItem(at: file) }
}
