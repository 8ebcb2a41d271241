import Dispatch
import Streams
import Synchronization
import Testing

struct AnyCancellableTests {
  @Test func `cancels once`() {
    var count = 0
    let cancellable = AnyCancellable { count += 1 }
    cancellable.cancel()
    cancellable.cancel()
    #expect(count == 1)
  }

  @Test func `cancels when it is released`() {
    var count = 0
    do { _ = AnyCancellable { count += 1 } }
    #expect(count == 1)
  }

  @Test func `does not cancel again when it is released after cancellation`() {
    var count = 0
    do {
      let cancellable = AnyCancellable { count += 1 }
      cancellable.cancel()
    }
    #expect(count == 1)
  }

  @Test func `cancels another cancellable`() {
    var count = 0
    let inner = AnyCancellable { count += 1 }
    AnyCancellable(inner).cancel()
    #expect(count == 1)
  }

  @Test func `can be cancelled in its own closure`() {
    var count = 0
    var cancellable: AnyCancellable?
    cancellable = AnyCancellable {
      count += 1
      cancellable?.cancel()
    }
    cancellable?.cancel()
    #expect(count == 1)
  }

  @Test func `releases its closure on cancellation`() {
    weak var released: TestObject?
    let cancellable: AnyCancellable
    do {
      let object = TestObject()
      released = object
      cancellable = AnyCancellable { [object] in _ = object }
    }
    #expect(released != nil)
    cancellable.cancel()
    #expect(released == nil)
  }

  @Test func `is stored in a set and in an array, whose release cancels it`() {
    var count = 0
    var set: Set<AnyCancellable> = []
    var array: [AnyCancellable] = []
    AnyCancellable { count += 1 }.store(in: &set)
    AnyCancellable { count += 1 }.store(in: &array)
    #expect(count == 0)
    set = []
    #expect(count == 1)
    array = []
    #expect(count == 2)
  }

  @Test func `equals only itself`() {
    let cancellable = AnyCancellable {}
    let other = AnyCancellable {}
    #expect(cancellable == cancellable)
    #expect(cancellable != other)
    #expect(Set([cancellable, other, cancellable]).count == 2)
  }

  @Test func `cancels once when several threads cancel`() {
    let count = Atomic(0)
    for _ in 0..<100 {
      count.store(0, ordering: .relaxed)
      let cancellable = AnyCancellable { count.add(1, ordering: .relaxed) }
      DispatchQueue.concurrentPerform(iterations: 4) { _ in cancellable.cancel() }
      #expect(count.load(ordering: .relaxed) == 1)
    }
  }

  @Test func `store(in:) stores the instance itself, any number of times`() {
    var count = 0
    let cancellable = AnyCancellable { count += 1 }
    var set: Set<AnyCancellable> = []
    var array: [AnyCancellable] = []
    cancellable.store(in: &set)
    cancellable.store(in: &set)
    cancellable.store(in: &array)
    #expect(set == [cancellable])
    #expect(array == [cancellable])

    // Like any other owner, the collections only release it.
    set = []
    array = []
    #expect(count == 0)
    cancellable.cancel()
    #expect(count == 1)
  }

  @Test func `an AnyCancellable of another one is a second owner, which cancels it`() {
    var count = 0
    let inner = AnyCancellable { count += 1 }
    do {
      let outer = AnyCancellable(inner)
      #expect(outer != inner)
    }
    #expect(count == 1)
    inner.cancel()
    #expect(count == 1)
  }
}
