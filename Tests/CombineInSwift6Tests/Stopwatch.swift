import Combine
import Foundation
import Testing

/// A model with the name of Foundation's class.
@MainActor
final class Timer: ObservableObject {
  enum State: Equatable {
    case stopped
    case running(since: Date)
  }

  @Published private(set) var state = State.stopped
  @Published private(set) var elapsed: TimeInterval = 0
  private var ticking: AnyCancellable?

  static let ticks = Foundation.Timer.publish(every: 1, on: .main, in: .common)

  func start(at date: Date, ticks: some Publisher<Date, Never>) {
    state = .running(since: date)
    ticking =
      ticks
      .map { $0.timeIntervalSince(date) }
      .filter { $0 >= 0 }
      .sink { [weak self] in self?.elapsed = $0 }
  }

  func stop() {
    ticking = nil
    state = .stopped
  }

  var label: some Publisher<String, Never> {
    $state.combineLatest($elapsed) { state, elapsed in
      state == .stopped ? "--" : "\(Int(elapsed)) s"
    }
    .removeDuplicates()
  }
}

@MainActor
struct StopwatchTests {
  let start = Date(timeIntervalSinceReferenceDate: 0)

  @Test func `the label follows the ticks`() {
    let timer = Timer()
    let ticks = PassthroughSubject<Date, Never>()
    var labels: [String] = []
    let cancellable = timer.label.sink { labels.append($0) }
    timer.start(at: start, ticks: ticks)
    ticks.send(start - 1)
    ticks.send(start + 1)
    ticks.send(start + 2)
    timer.stop()
    ticks.send(start + 3)
    #expect(labels == ["--", "0 s", "1 s", "2 s", "--"])
    cancellable.cancel()
  }

  @Test func `the state is assigned to another object`() {
    final class Mirror: ObservableObject {
      @Published var elapsed: TimeInterval = -1
    }
    let timer = Timer()
    let mirror = Mirror()
    timer.$elapsed.assign(to: &mirror.$elapsed)
    timer.start(at: start, ticks: Just(start + 90))
    #expect(mirror.elapsed == 90)
  }

  @Test func `Foundation's timer is a connectable publisher`() {
    let ticks: Foundation.Timer.TimerPublisher = Timer.ticks
    #expect(ticks.interval == 1)
    #expect(ticks.mode == .common)
    let connection = ticks.connect()
    connection.cancel()
  }
}
