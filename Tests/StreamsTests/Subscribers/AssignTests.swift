import Streams
import Testing

struct AssignTests {
  private final class Target {
    var value = 0
  }

  private let source = ManualSource<Int, Never>()

  @Test func `requests unlimited demand and sets the property`() {
    let target = Target()
    let cancellable = source.assign(to: \.value, on: target)
    #expect(source.requests == [.unlimited])
    source.send(1)
    #expect(target.value == 1)
    cancellable.cancel()
  }

  @Test func `retains its object until it is cancelled`() {
    weak var released: Target?
    let cancellable: AnyCancellable
    do {
      let target = Target()
      released = target
      cancellable = source.assign(to: \.value, on: target)
    }
    #expect(released != nil)
    cancellable.cancel()
    #expect(released == nil)
    #expect(source.cancelCount == 1)
  }

  @Test func `releases its object when the stream ends`() {
    weak var released: Target?
    let assign: Subscribers.Assign<Target, Int>
    do {
      let target = Target()
      released = target
      assign = Subscribers.Assign(object: target, keyPath: \.value)
    }
    source.subscribe(assign)
    #expect(assign.object != nil)
    source.finish()
    #expect(assign.object == nil)
    #expect(released == nil)
  }

  @Test func `sets nothing after cancellation`() {
    source.ignoresCancellation = true
    let target = Target()
    let cancellable = source.assign(to: \.value, on: target)
    source.send(1)
    cancellable.cancel()
    source.send(2)
    #expect(target.value == 1)
  }

  @Test func `cancels a second subscription`() {
    let assign = Subscribers.Assign(object: Target(), keyPath: \.value)
    let second = ManualSource<Int, Never>()
    source.subscribe(assign)
    second.subscribe(assign)
    #expect(second.cancelCount == 1)
    #expect(source.cancelCount == 0)
  }

  @Test func `releases its object when it is cancelled before the subscription arrives`() {
    let assign = Subscribers.Assign(object: Target(), keyPath: \.value)
    assign.cancel()
    source.subscribe(assign)
    #expect(assign.object == nil)
    #expect(source.cancelCount == 1)
  }

  @Test func `describes itself`() {
    #expect("\(Subscribers.Assign(object: Target(), keyPath: \.value))" == "Assign Target")
  }

  @Test func `reflects only its object and its key path`() {
    let target = Target()
    let assign = Subscribers.Assign(object: target, keyPath: \.value)
    let children = Mirror(reflecting: assign).children
    #expect(children.map(\.label) == ["object", "keyPath"])
    #expect(children.first?.value as? Target === target)
    #expect(assign.playgroundDescription as? String == "Assign Target")
  }
}
