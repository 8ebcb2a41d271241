import StreamInspection
import Testing

@Suite struct CodeLineTests {
  private let own = CallFrame(
    symbol: "$s16StreamInspection9CallSitesC4noteAA0C6SiteIDVyF", name: "CallSites.note()",
    path: "/a/Sources/StreamInspection/CallSites/CallSites.swift", line: 1)

  @Test func `the first file outside of the package's folders is the place`() {
    let frames = [
      own,
      frame("$s7Streams9PublisherP", "sink", "/a/Sources/Streams/Sink.swift", 2),
      // Inlined in the program.
      frame("$s7Streams9PublisherP", "map", "/a/Sources/StreamSchedulers/Map.swift", 3),
      frame("$s5MyApp1fyyF", "specialized f()", "//<compiler-generated>", 0),
      frame("$s5MyApp1fyyF", "f()", "/a/@__swiftmacro_f", 4),
      frame("$s5MyApp1gyyF", "closure #1 in g()", "/a/Sources/StreamsApp/Main.swift", 5),
      frame("$s5MyApp1hyyF", "h()", "/a/Sources/StreamsApp/Main.swift", 6),
    ]
    let place = CodeLine(firstIn: frames)
    #expect(place?.description == "Main.swift:5")
    #expect(place?.function == "g()")
  }

  @Test func `a file of another package with the same folders is a place`() {
    let place = CodeLine(firstIn: [own, frame("$s5MyApp1fyyF", "f()", "/b/Sources/Streams/Main.swift", 5)])
    #expect(place?.path == "/b/Sources/Streams/Main.swift")
  }

  @Test func `a file of a library for servers is no place`() {
    let frames = [
      own,
      frame("$s14StreamsService06StreamB0V3runyyYaKF", "run()", "/a/Integrations/StreamsService/Sources/Run.swift", 3),
      frame("$s5MyApp1fyyF", "f()", "/b/Sources/MyApp/StreamsService/Main.swift", 5),
    ]
    #expect(CodeLine(firstIn: frames)?.description == "Main.swift:5")
  }

  #if os(Linux)
    @Test(arguments: [
      ("$s7Streams9PublisherPAAE6customyyF", true), ("$s14StreamsService06StreamB0V3runyyYaKFyyYaKXEfU0_", true),
      // Code of the program may be inlined in what has been specialized for it.
      ("$s7Streams9PublisherPAAE6customyyF5MyApp1SV_Tg5", false),
      // Its path says where the package is.
      ("$s16StreamInspection9CallSitesC4noteAA0C6SiteIDVyF", false), ("$s5MyApp1fyyF", false), ("main", false),
    ])
    func `a function of the package is known by its name`(symbol: String, isOwn: Bool) {
      #expect(CodeLine.isOwn(symbol) == isOwn)
    }
  #endif

  @Test func `without debugging symbols the place is the first function of another module`() {
    let frames = [
      frame("$s16StreamInspection9CallSitesC4noteAA0C6SiteIDVyF", "CallSites.note()", nil, 0),
      frame("$s7Streams18PassthroughSubjectC4sendyyxF", "PassthroughSubject.send(_:)", nil, 0),
      frame("swift_job_run", "swift_job_run", nil, 0),
      frame("$sSTsE7forEachyyy7ElementQzKXEKF", "Sequence.forEach(_:)", nil, 0),
      frame("$s1n5outeryyFyyXEfU_", "closure #1 in outer()", nil, 0),
    ]
    let place = CodeLine(firstIn: frames)
    #expect(place == CodeLine(firstIn: frames.suffix(1)))
    #expect(place?.description == "outer()")
    #expect(place?.path == nil && place?.line == nil && place?.file == nil)
  }

  @Test func `a stack without code of the program has no place`() {
    #expect(CodeLine(firstIn: []) == nil)
    #expect(CodeLine(firstIn: [own]) == nil)
    #expect(CodeLine(firstIn: [own, frame("start_thread", "start_thread", nil, 0)]) == nil)
  }

  #if os(Linux)
    @Test(arguments: [
      // A closure, its specialization, a resumed part of an asynchronous function, a method of a generic type.
      ("$s1n5outeryyFyyXEfU_", "n"), ("$s1n1SV1myyFSi_Tg5Tf4d_n", "n"), ("$s1n2a1yyYaFTY0_", "n"),
      // Methods of extensions, of the system's type and of the package's.
      ("$sSa1nE4mineyyFSi_Tg5", "n"), ("$sSTsE7forEachyyy7ElementQzKXEKFSaySiG_Tg5", "Swift"),
      ("$s7Streams9PublisherP5MyAppE6customyyF", "MyApp"), ("$s7Streams9PublisherPAAE6customyyF", "Streams"),
      // The function of a protocol that a type of the program implements.
      ("$s5MyApp6SourceV7Streams9PublisherAadEP6customyyFTW", "MyApp"),
      ("$s5MyApp5ModelC4main33_0123456789ABCDEF0123456789ABCDEFLLyyF", "MyApp"),
      ("$s5MyApp5ModelC4makeyyFZ", "MyApp"), ("main", nil), ("_ZN5swift3runEv", nil),
    ])
    func `a name tells the module in which its function is written`(symbol: String, module: String?) {
      #expect(SymbolName.module(of: symbol) == module)
    }
  #endif

  @Test(arguments: [
    ("f()", "f()"), ("closure #1 in outer()", "outer()"),
    ("specialized closure #2 in closure #1 in Model.start(for:)", "Model.start(for:)"),
    ("specialized static Model.make()", "Model.make()"),
    ("partial apply for closure #1 (Int) -> () in Model.start(_: (Int) -> Bool)", "Model.start(_: (Int) -> Bool)"),
    (
      "protocol witness for Publisher.receive<A>(subscriber:) in conformance Source",
      "Publisher.receive<A>(subscriber:)"
    ),
  ])
  func `a name is shortened to the function`(name: String, short: String) {
    #expect(SymbolName.short(name) == short)
  }

  private func frame(_ symbol: String, _ name: String, _ path: String?, _ line: Int) -> CallFrame {
    CallFrame(symbol: symbol, name: name, path: path, line: line)
  }
}
