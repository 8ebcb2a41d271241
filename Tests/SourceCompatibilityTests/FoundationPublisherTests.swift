import Combine
import Foundation
import StreamAlgorithms
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private struct Item: Codable, Equatable { var name: String }

private final class Poster {
  static let didChange = Notification.Name("didChange")
}

struct FoundationPublisherTests {
  @Test func notifications() {
    let center = NotificationCenter()
    let poster = Poster()
    let publisher: NotificationCenter.Publisher = center.publisher(for: Poster.didChange, object: poster)
    #expect(publisher.center === center)
    #expect(publisher.name == Poster.didChange)
    #expect(publisher.object === poster)
    #expect(publisher == center.publisher(for: Poster.didChange, object: poster))
    #expect(publisher != center.publisher(for: Poster.didChange))
    _ = NotificationCenter.Publisher(center: center, name: Poster.didChange, object: nil)
    expectType(NotificationCenter.Publisher.Output.self, is: Notification.Type.self)
    expectType(NotificationCenter.Publisher.Failure.self, is: Never.Type.self)
    var names: [String] = []
    let cancellable = center.publisher(for: Poster.didChange)
      .compactMap { $0.userInfo?["name"] as? String }
      .sink { names.append($0) }
    center.post(name: Poster.didChange, object: poster, userInfo: ["name": "Ada"])
    cancellable.cancel()
    center.post(name: Poster.didChange, object: poster, userInfo: ["name": "Bob"])
    #expect(names == ["Ada"])
  }

  @Test func `data tasks`() {
    let url = URL(string: "http://127.0.0.1:9/items")!
    let request = URLRequest(url: url)
    let publisher: URLSession.DataTaskPublisher = URLSession.shared.dataTaskPublisher(for: url)
    #expect(publisher.request.url == url)
    #expect(publisher.session === URLSession.shared)
    #expect(URLSession.shared.dataTaskPublisher(for: request).request == request)
    _ = URLSession.DataTaskPublisher(request: request, session: .shared)
    expectType(URLSession.DataTaskPublisher.Output.self, is: (data: Data, response: URLResponse).Type.self)
    expectType(URLSession.DataTaskPublisher.Failure.self, is: URLError.Type.self)
    // The code of nearly every program; it is not run.
    let items: AnyPublisher<[Item], Never> = URLSession.shared.dataTaskPublisher(for: url)
      .tryMap { element -> Data in
        guard let response = element.response as? HTTPURLResponse, response.statusCode == 200 else {
          throw URLError(.badServerResponse)
        }
        return element.data
      }
      .decode(type: [Item].self, decoder: JSONDecoder())
      .replaceError(with: [])
      .receive(on: DispatchQueue.main)
      .eraseToAnyPublisher()
    let other: AnyPublisher<[Item], any Error> = URLSession.shared.dataTaskPublisher(for: request)
      .map(\.data)
      .decode(type: [Item].self, decoder: JSONDecoder())
      .eraseToAnyPublisher()
    let described = URLSession.shared.dataTaskPublisher(for: url)
      .map { data, response in "\(data.count) \(response)" }
      .catch { (error: URLError) in Just(error.localizedDescription) }
    _ = (items, other, described)
  }

  @Test func `timers of run loops`() {
    let timer: Timer.TimerPublisher = Timer.publish(every: 0.5, on: .main, in: .common)
    #expect((timer.interval, timer.tolerance) == (0.5, nil))
    #expect(timer.runLoop === RunLoop.main)
    #expect(timer.mode == .common)
    #expect(timer.options == nil)
    _ = Timer.publish(every: 0.5, tolerance: 0.1, on: .main, in: .default, options: nil)
    _ = Timer.TimerPublisher(interval: 1, tolerance: nil, runLoop: .main, mode: .default, options: nil)
    let publish: (TimeInterval, TimeInterval?, RunLoop, RunLoop.Mode, RunLoop.SchedulerOptions?) -> Timer.TimerPublisher
    publish = Timer.publish(every:tolerance:on:in:options:)
    let create = Timer.TimerPublisher.init(interval:tolerance:runLoop:mode:options:)
    #expect(publish(0.5, nil, .main, .common, nil).interval == create(0.5, nil, .main, .common, nil).interval)
    expectType(Timer.TimerPublisher.Output.self, is: Date.Type.self)
    expectType(Timer.TimerPublisher.Failure.self, is: Never.Type.self)
    let connectable: any ConnectablePublisher = timer
    connectable.connect().cancel()
    var cancellables = Set<AnyCancellable>()
    Timer.publish(every: 1, on: .main, in: .common).autoconnect()
      .map { $0.timeIntervalSince1970 }
      .collect(.byTime(RunLoop.main, .seconds(5)))
      .sink { _ in }
      .store(in: &cancellables)
    cancellables.removeAll()
  }

  #if canImport(ObjectiveC)
    private final class Person: NSObject {
      @objc dynamic var name = "Ada"
    }

    @Test func `key-value observing`() {
      let person = Person()
      expectType(
        person.publisher(for: \.name), is: NSObject.KeyValueObservingPublisher<Person, String>.self)
      let publisher = person.publisher(for: \.name, options: [.initial, .new])
      #expect(publisher.object === person)
      #expect(publisher.keyPath == \Person.name)
      #expect(publisher.options == [.initial, .new])
      #expect(publisher == person.publisher(for: \.name, options: [.initial, .new]))
      var names: [String] = []
      let cancellable = publisher.sink { names.append($0) }
      person.name = "Bob"
      cancellable.cancel()
      #expect(names == ["Ada", "Bob"])
      expectType(
        publisher.didChange(), is: Publishers.Map<NSObject.KeyValueObservingPublisher<Person, String>, Void>.self)
    }
  #endif
}
