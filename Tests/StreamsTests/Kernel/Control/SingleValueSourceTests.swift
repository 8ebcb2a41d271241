import Streams
import Testing

struct SingleValueSourceTests {
  private final class Log {
    var count = 0
  }

  private let log = Log()

  private func shot(isReady: Bool) -> SingleValueSource {
    let shot = SingleValueSource(of: log) { [log] _ in log.count += 1 }
    if isReady { shot.becomeReady() }
    return shot
  }

  @Test func `delivers when it is ready and requested`() {
    let shot = shot(isReady: true)
    #expect(log.count == 0)
    shot.request(.max(1))

    #expect(log.count == 1)
  }

  @Test func `delivers once for any number of requests`() {
    let shot = shot(isReady: true)
    shot.request(.max(1))
    shot.request(.unlimited)

    #expect(log.count == 1)
  }

  @Test func `waits until it is ready`() {
    let shot = shot(isReady: false)
    shot.request(.max(1))
    #expect(log.count == 0)
    shot.becomeReady()

    #expect(log.count == 1)
  }

  @Test func `delivers without demand when no value waits for it`() {
    let shot = shot(isReady: false)
    shot.becomeReady(waitsForDemand: false)

    #expect(log.count == 1)
  }

  @Test func `delivers nothing after cancellation`() {
    let shot = shot(isReady: true)
    shot.cancel()
    shot.request(.max(1))

    #expect(log.count == 0)
    #expect(!shot.isActive)
  }

  @Test func `completes once`() {
    let shot = shot(isReady: true)

    #expect(shot.finish())
    #expect(!shot.finish())
  }

  @Test func `keeps one subscription and cancels a second`() {
    let shot = SingleValueSource()
    let (first, second) = (RecordedSubscription(), RecordedSubscription())

    #expect(shot.connect(first, of: log) { _ in })
    #expect(!shot.connect(second, of: log) { _ in })
    #expect(first.events == [])
    #expect(second.events == ["cancel"])
  }

  @Test func `cancels upstream once`() {
    let shot = SingleValueSource()
    let upstream = RecordedSubscription()
    _ = shot.connect(upstream, of: log) { _ in }
    shot.cancel()
    shot.cancel()

    #expect(upstream.events == ["cancel"])
  }

  @Test func `cancels upstream when the result is known early`() {
    let shot = SingleValueSource()
    let upstream = RecordedSubscription()
    _ = shot.connect(upstream, of: log) { _ in }
    shot.becomeReady(cancelsUpstream: true)
    shot.cancel()

    #expect(upstream.events == ["cancel"])
  }

  @Test func `cancels a subscription that arrives after cancellation`() {
    let shot = SingleValueSource()
    let upstream = RecordedSubscription()
    shot.cancel()

    #expect(!shot.connect(upstream, of: log) { _ in })
    #expect(upstream.events == ["cancel"])
  }

  @Test func `releases its closure when it is cancelled`() {
    weak var released: Log?
    let shot: SingleValueSource
    do {
      let log = Log()
      released = log
      shot = SingleValueSource(of: log) { _ in log.count += 1 }
    }
    #expect(released != nil)
    shot.cancel()

    #expect(released == nil)
  }
}
