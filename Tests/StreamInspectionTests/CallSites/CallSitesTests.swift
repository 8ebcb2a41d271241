#if os(Linux) && compiler(>=6.3) && compiler(<6.4)
  import Dispatch
  import StreamInspection
  import Streams
  import SuiteSupport
  import Testing

  @Suite struct CallSitesTests {
    let notes = Notes()

    @Test func `the place of a call is its file, its line and its function`() throws {
      note(notes)
      let line = #line - 1
      let place = try #require(notes.places.first ?? nil)
      #expect(place.file == "CallSitesTests.swift")
      #expect(place.path == #filePath)
      #expect(place.line == line)
      #expect(place.function.hasPrefix("CallSitesTests."))
      #expect("\(place)" == "CallSitesTests.swift:\(line)")
    }

    @Test func `code that notes is found itself if it is not of the package`() {
      let id = notes.sites.note()
      let line = #line - 1
      #expect(notes.sites.place(of: id)?.line == line)
      #expect(notes.sites.place(of: id)?.path == #filePath)
    }

    @Test func `the place of a subscription is that of the sink`() {
      let source = Noting(upstream: PassthroughSubject<Int, Never>(), notes: notes)
      let cancellable = source.sink { _ in }
      let line = #line - 1
      cancellable.cancel()
      #expect(notes.lines == [here(line)])
    }

    @Test func `the place of a loop over values is the line of what it loops over`() async {
      let source = Noting(upstream: [1].publisher, notes: notes)
      for await _
        in source
        .map({ $0 + 1 })
        .values
      {}
      let line = #line - 2
      await Task { [notes] in
        for await _ in Noting(upstream: [1].publisher, notes: notes).values {}
      }.value
      #expect(notes.lines == [here(line), here(#line - 2)])
    }

    @Test func `the operators of a chain, and erasure, are not the place`() {
      let subject = PassthroughSubject<Int, Never>()
      let source = Noting(upstream: subject, notes: notes)
      let plain = source.map { $0 + 1 }.filter { $0 > 0 }.scan(0, +).removeDuplicates().flatMap { Just($0) }
        .prefix(3).buffer(size: 4, prefetch: .keepFull, whenFull: .dropOldest).dropFirst().share()
      let first = plain.sink { _ in }
      let firstLine = #line - 1
      let erased = source.map { $0 + 1 }.eraseToAnyPublisher().filter { $0 > 0 }.eraseToAnyPublisher()
        .merge(with: Empty(completeImmediately: false)).eraseToAnyPublisher()
      let second = erased.sink { _ in }
      let secondLine = #line - 1
      first.cancel()
      second.cancel()
      #expect(notes.lines == [here(firstLine), here(secondLine)])
    }

    @Test func `the place of a connection is where it is connected`() {
      let connectable = Noting(upstream: PassthroughSubject<Int, Never>(), notes: notes).makeConnectable()
      let sink = connectable.sink { _ in }
      let connection = connectable.connect()
      let line = #line - 1
      sink.cancel()
      connection.cancel()
      #expect(notes.lines == [here(line)])
    }

    @Test func `the place of an inner stream is where the value is sent`() {
      let (subject, inner) = (PassthroughSubject<Int, Never>(), Noting(upstream: Just(1), notes: notes))
      let sink = subject.flatMap { _ in inner }.sink { _ in }
      subject.send(1)
      let line = #line - 1
      sink.cancel()
      #expect(notes.lines == [here(line)])
    }

    @Test func `a closure that the package calls is the place of what it does`() {
      let deferred = Deferred { [notes] in
        note(notes)
        return Just(1)
      }
      let line = #line - 3
      deferred.map { $0 + 1 }.eraseToAnyPublisher().sink { [notes] _ in note(notes) }.cancel()
      #expect(notes.lines == [here(line), here(#line - 1)])
    }

    @Test func `methods that the program adds to publishers are its own`() {
      Noting(upstream: PassthroughSubject<Int, Never>(), notes: notes).sinkOfTheProgram().cancel()
      #expect(notes.lines == [here(lineOfTheProgramsSink)])
      #expect(notes.places.first??.function.hasSuffix("sinkOfTheProgram()") == true)
    }

    @Test func `the place in a task is the line of the task`() async {
      await Task.detached { [notes] in
        await Task.yield()
        let source = Noting(upstream: PassthroughSubject<Int, Never>(), notes: notes)
        source.map { $0 + 1 }.sink { _ in }.cancel()
      }.value
      #expect(notes.lines == [here(#line - 2)])
    }

    @Test(.ownThread) func `the place on a queue is the line of the work`() {
      let work = { @Sendable [notes] in
        let source = Noting(upstream: PassthroughSubject<Int, Never>(), notes: notes)
        source.eraseToAnyPublisher().sink { _ in }.cancel()
      }
      let line = #line - 2
      DispatchQueue(label: "places").sync(execute: work)
      onAnotherThread(work)
      #expect(notes.lines == [here(line), here(line)])
    }

    @Test func `the same stack has the same number`() {
      let source = Noting(upstream: Empty<Int, Never>(), notes: notes)
      for _ in 0..<1000 { source.sink { _ in }.cancel() }
      #expect(notes.all.count == 1000)
      #expect(Set(notes.all).count == 1)
      #expect(notes.sites.count == 1)
    }

    @Test func `two lines have different numbers`() {
      note(notes)
      note(notes)
      note(notes); note(notes)
      let line = #line - 1
      #expect(Set(notes.all).count == 4)
      #expect(notes.sites.count == 4)
      #expect(notes.lines == [line - 2, line - 1, line, line].map(here))
    }

    @Test(.ownThread) func `threads that note the same stack at once get the same number`() {
      let sites = CallSites()
      let queue = DispatchQueue(label: "places", attributes: .concurrent)
      let group = DispatchGroup()
      let start = DispatchGroup()
      let line = #line + 7
      start.enter()
      let all = Locker<[CallSiteID]>([])
      for _ in 0..<4 {
        queue.async(group: group) {
          start.wait()
          for _ in 0..<100 {
            let id = sites.note()
            all.change { $0.append(id) }
          }
        }
      }
      start.leave()
      group.wait()
      #expect(Set(all.value).count == sites.count)
      #expect(all.value.allSatisfy { sites.place(of: $0)?.line == line })
    }

    @Test func `stacks beyond the capacity are unknown`() {
      let sites = CallSites(capacity: 1)
      var ids: [CallSiteID] = []
      let line = #line + 2
      for _ in 0..<2 {
        ids.append(sites.note())
        ids.append(sites.note())
      }
      #expect(ids[0] != .unknown)
      #expect(ids == [ids[0], .unknown, ids[0], .unknown])
      #expect(sites.place(of: .unknown) == nil)
      #expect(sites.place(of: ids[0])?.line == line)
    }

    @Test func `a number that has not been given has no place`() {
      #expect(CallSites().place(of: notes.sites.note()) == nil)
    }

    @Test(.exits) func `noting a stack again keeps no memory`() async {
      await #expect(processExitsWith: .success) {
        let sites = CallSites()
        var used: [Int] = []
        for count in [100, 10_000, 10_000] {
          for _ in 0..<count { _ = sites.note() }
          used.append(bytesInUse())
        }
        #expect(used[1] == used[2])
        #expect(sites.count == 1)
      }
    }

    private func here(_ line: Int) -> String { "CallSitesTests.swift:\(line)" }
  }

  private let lineOfTheProgramsSink = #line + 4

  extension Publisher where Failure == Never {
    fileprivate func sinkOfTheProgram() -> AnyCancellable {
      sink { _ in }
    }
  }
#endif
