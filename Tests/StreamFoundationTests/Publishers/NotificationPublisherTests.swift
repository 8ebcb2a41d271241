import Foundation
import StreamAlgorithms
import StreamFoundation
import StreamTesting
import Testing

@Suite(.ownThread)
struct NotificationPublisherTests {
  private let center = NotificationCenter()
  private let name = Notification.Name("something has happened")

  private func post(_ number: Int, object: AnyObject? = nil) {
    center.post(name: name, object: object, userInfo: ["number": number])
  }

  private func numbers(object: AnyObject? = nil) -> some Publisher<Int, Never> {
    center.publisher(for: name, object: object).compactMap { $0.userInfo?["number"] as? Int }
  }

  @Test func `delivers notifications to every subscriber, on the posting thread`() {
    let recorders = [numbers().record(), numbers().record()]
    post(1)
    center.post(name: Notification.Name("something else"), object: nil)
    post(2)
    for recorder in recorders { #expect(recorder.values == [1, 2]) }
    #expect(recorders[0].completion == nil)
  }

  @Test func `delivers only notifications of the given object`() {
    let sender = Token()
    let recorder = numbers(object: sender).record()
    post(1)
    post(2, object: sender)
    post(3, object: Token())
    #expect(recorder.values == [2])
  }

  @Test func `drops notifications without demand`() {
    let recorder = center.publisher(for: name).map { $0.userInfo?["number"] as? Int }.record(demand: .none)
    post(1)
    recorder.request(.max(1))
    post(2)
    post(3)
    recorder.request(.max(1))
    post(4)
    #expect(recorder.values == [2, 4])
  }

  @Test func `a notification posted during a delivery is delivered after it`() {
    var log: [String] = []
    let first = numbers().sink { number in
      log.append("begin \(number)")
      if number == 1 { post(2) }
      log.append("end \(number)")
    }
    post(1)
    #expect(log == ["begin 1", "end 1", "begin 2", "end 2"])
    first.cancel()
  }

  @Test func `removes the observer on cancellation`() {
    // An observer retains the object that it observes.
    let subscribers: [(Publishers.CompactMap<NotificationCenter.Publisher, Int>) -> AnyCancellable?] = [
      { $0.sink { _ in } },
      { $0.first().sink { _ in } },
      { publisher in
        publisher.subscribe(AnySubscriber(receiveSubscription: { $0.cancel() }))
        return nil
      },
    ]
    for (index, subscribe) in subscribers.enumerated() {
      var sender: Token? = Token()
      weak let weakSender = sender
      let cancellable = subscribe(center.publisher(for: name, object: sender).compactMap { _ in 1 })
      if index == 1 { post(1, object: sender) }
      sender = nil
      #expect((weakSender != nil) == (index == 0), "subscriber \(index)")
      cancellable?.cancel()
      cancellable?.cancel()
      #expect(weakSender == nil, "subscriber \(index)")
    }
  }

  @Test func `releases the subscriber on cancellation`() {
    var token: Token? = Token()
    weak let weakToken = token
    let cancellable = numbers().sink { [token] _ in token?.touch() }
    token = nil
    #expect(weakToken != nil)
    cancellable.cancel()
    #expect(weakToken == nil)
  }

  @Test func `publishers of the same notifications are equal`() {
    let (object, other) = (Token(), Token())
    let publisher = center.publisher(for: name, object: object)
    #expect(publisher == NotificationCenter.Publisher(center: center, name: name, object: object))
    #expect(publisher.center === center && publisher.name == name && publisher.object === object)
    #expect(publisher != center.publisher(for: name))
    #expect(publisher != center.publisher(for: name, object: other))
    #expect(publisher != center.publisher(for: Notification.Name("other"), object: object))
    #expect(publisher != NotificationCenter().publisher(for: name, object: object))
  }

  @Test func `conforms to the rules of publishers`() {
    let posting = Box(0)
    ConformanceChecks.publisher(
      sends: 20,
      settle: {
        for _ in 0..<20 {
          posting.value += 1
          post(posting.value)
        }
      },
      { numbers().prefix(20).buffer(size: 20, prefetch: .keepFull, whenFull: .dropNewest) })
  }

  @Test func `delivers notifications of many threads completely and one at a time`() async {
    let log = Log<Int>()
    let isBusy = Box(false)
    let cancellable = numbers().sink { number in
      #expect(!isBusy.value)
      isBusy.value = true
      log.append(number)
      isBusy.value = false
    }
    let (center, name) = (UnsafeTransfer(center), name)
    for thread in 0..<4 {
      Thread {
        for number in 0..<250 {
          center.value.post(name: name, object: nil, userInfo: ["number": thread * 250 + number])
        }
      }.start()
    }
    #expect(await log.first(1000).sorted() == Array(0..<1000))
    cancellable.cancel()
  }
}
