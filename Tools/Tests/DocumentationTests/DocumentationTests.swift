import Foundation
import SymbolGraphs
import Testing
import ToolsSupport

@testable import documentation

@Suite("The checks of the documentation, and its pages") struct DocumentationTests {
  // MARK: Pages

  @Test("A page has the links, asides and pictures of its article in the form that hosts of repositories show")
  func page() throws {
    let other = Article(
      module: "Streams", file: "Sources/Streams/Streams.docc/Other.md",
      text: "# Others\n\nIts abstract.\n\n## What's new?\n")
    let article = Article(
      module: "Streams", file: "Sources/Streams/Streams.docc/First.md",
      text: """
        # The first

        About ``Publisher/map(_:)``, `<doc:Other>`, <doc:Other>, <doc:Other#Whats-new> and [this](doc:Other)

        ## Overview

        > Tip: See ``StreamAlgorithms/Relay``.

        ### Below

        ![A "drawing"](drawing)

        ```swift
        // ``Publisher`` stays.
        ```

        - <doc:Other>
        """)
    let catalog = Catalog(
      module: Article(module: "Streams", file: "Sources/Streams/Streams.docc/Streams.md", text: "# ``Streams``\n"),
      articles: [article, other], pictures: ["drawing": "drawing.svg", "drawing~dark": "drawing~dark.svg"])
    let symbols = try [
      symbol("Publisher/map(_:)", in: "Map.swift", line: 7), symbol("Relay", in: "Relay.swift", line: 1),
    ]
    var writer = PageWriter(
      article, in: Library(catalogs: [catalog], symbols: Dictionary(grouping: symbols) { $0.absolutePath }))
    #expect(
      writer.page() == """
        # The first

        About [`map(_:)`](../Sources/Map.swift), `<doc:Other>`, [Others](Other.md), [What's new?](Other.md#whats-new) and \
        [this](Other.md)

        > [!TIP]
        > See [`Relay`](../Sources/Relay.swift).

        ## Below

        <picture><source media="(prefers-color-scheme: dark)" srcset="../drawing~dark.svg">\
        <img src="../drawing.svg" alt="A &quot;drawing&quot;"></picture>

        ```swift
        // ``Publisher`` stays.
        ```

        - [Others](Other.md): Its abstract.
        """)
    #expect(writer.mistakes == [])
  }

  @Test(
    "A link that leads to nothing is a mistake",
    arguments: ["``Missing``", "<doc:Missing>", "[it](doc:First#Missing)"])
  func brokenLink(link: String) {
    let article = Article(module: "Streams", file: "First.md", text: "# First\n\n\(link)\n")
    let catalog = Catalog(module: article, articles: [article], pictures: [:])
    var writer = PageWriter(article, in: Library(catalogs: [catalog], symbols: [:]))
    _ = writer.page()
    #expect(writer.mistakes.count == 1)
  }

  @Test("Of overloads, a link leads to that with its result, or to that in the file of its name")
  func overloads() throws {
    let symbols = try [
      "Publisher/map(_:)": [
        symbol("Publisher/map(_:)", in: "Just.swift", declaration: "func map<T>(_: (Output) -> T) -> Just<T>"),
        symbol("Publisher/map(_:)", in: "Map.swift", declaration: "func map<T>(_: (Output) -> T) -> Map<Self, T>"),
        symbol("Publisher/map(_:)", in: "A.swift", declaration: "func map<T>(_: (Output) -> T) -> Fail<T>"),
      ]
    ]
    func file(_ link: String) -> String? { SymbolLink(link)?.target(in: symbols)?.file }
    #expect(file("Publisher/map(_:)") == "Sources/Map.swift")
    #expect(file("StreamAlgorithms/Streams/Publisher/map(_:)->Just<T>") == "Sources/Just.swift")
    #expect(file("Publisher/filter(_:)") == nil)
  }

  @Test("Anchors have no punctuation, and a number if an earlier heading is the same")
  func headingAnchors() {
    #expect(anchors(of: ["What's new?", "`map` and `_f`", "Whats new"]) == ["whats-new", "map-and-_f", "whats-new-1"])
  }

  // MARK: Comments

  @Test("What a comment does not say is found")
  func missingDescriptions() throws {
    func omissions(_ declaration: String, _ comment: String?, returns: String = "()") throws -> [String] {
      try symbol("Type/f(x:)", in: "F.swift", declaration: declaration, comment: comment, returns: returns)
        .omissions(isInherited: false)
    }
    #expect(try omissions("func f(x: Int)", nil) == ["is not documented"])
    #expect(try omissions("func f(x: Int)", "Does.") == ["does not describe the parameter x"])
    #expect(try omissions("func f(x: Int)", "Does.\n- Parameter x: It.") == [])
    #expect(try omissions("func f(x: Int)", "Does.\n- Parameters:\n  - x: It.") == [])
    let described = "Does.\n- Parameter x: It."
    #expect(try omissions("func f(x: Int) -> Int", described, returns: "Int") == ["does not describe its result"])
    #expect(try omissions("func f(x: Int) -> Int", "Returns a number.\n- Parameter x: It.", returns: "Int") == [])
    #expect(try omissions("func f(x: Int) throws", described) == ["does not describe its errors"])
    #expect(try omissions("func f(x: () throws -> Int) rethrows", described) == [])
    let requirement = try symbol("Type/f(x:)", in: "F.swift", declaration: "func f(x: Int)", comment: "Does.")
    #expect(requirement.omissions(isInherited: true) == [])
  }

  @Test("A comment that is like another needs to say only what that one does not")
  func masters() throws {
    let master = try symbol(
      "Publisher/f(x:)", in: "F.swift", declaration: "func f(x: Int) -> Int",
      comment: "Does.\n- Parameter x: It.\n- Returns: It.", returns: "Int")
    let publisher = try symbol("Publisher", in: "P.swift", kind: "swift.protocol")
    let other = try symbol("Publisher/g()", in: "G.swift", comment: "Does.")
    func omissions(_ path: String, _ comment: String) throws -> [String] {
      let overload = try symbol(
        path, in: "O.swift", line: 2, declaration: "func f(x: Int) throws -> Int", comment: comment, returns: "Int")
      let masters = Masters([publisher, master, other, overload])
      return overload.omissions(isInherited: false, masters: masters.masters(of: overload))
    }
    #expect(try omissions("Other/f(y:)", "Does.").count == 3)
    #expect(try omissions("Publisher/f(x:_:)", "Does,\nlike\n``/Streams/Publisher/f(x:)->Int``, and throws.") == [])
    #expect(try omissions("Publisher/f(_:)", "Like ``f(x:)``.") == [])
    #expect(try omissions("Publisher/f(y:)", "Like ``f(x:)``.") == ["does not describe the parameter x"])
    #expect(try omissions("Publisher/f(y:)", "Like ``f(x:)``, with `x`.") == [])
    #expect(try omissions("Publisher/f(y:)", "Like ``h(x:)``.").count == 3)
    #expect(try omissions("Just/f(x:)", "Does.") == [])
    #expect(try omissions("Just/h(x:)", "Does.").count == 3)
  }

  @Test("An initializer that takes constants of its type needs no comment, nor do they")
  func plainDeclarations() throws {
    func plain(_ constant: String, _ comment: String? = nil) throws -> Set<String> {
      try [
        symbol("T/x", in: "F.swift", kind: "swift.property", declaration: "\(constant) x: Int"),
        symbol("T/init(x:)", in: "F.swift", kind: "swift.init", declaration: "init(x: Int)", comment: comment),
        symbol("U/x", in: "F.swift", kind: "swift.property", declaration: "let x: Int"),
      ].identifiersOfPlainSymbols
    }
    #expect(try plain("let") == ["T/x", "T/init(x:)"])
    #expect(try plain("let", "Creates it.") == ["T/x"])
    #expect(try plain("var") == [])
  }

  // MARK: Trimming

  @Test("Parameters that the compiler fills in are not shown")
  func filledInParameters() {
    #expect(trimmedTitle("record(demand:fileID:line:_:)") == "record(demand:_:)")
    #expect(trimmedTitle("f(line:)") == "f()")
    #expect(trimmedTitle("outline") == "outline")
    func trimmed(_ parts: String...) -> String {
      // Every second part is a label.
      parts.enumerated().map { index, part in
        Fragment(kind: index % 2 == 0 ? .text : .externalParameter, spelling: part, preciseIdentifier: nil)
      }.omitting(filledIn).text
    }
    #expect(trimmed("f(", "x", ": A, ", "file", ": S = #file, ", "line", ": U = #line) -> B") == "f(x: A) -> B")
    #expect(trimmed("f(", "file", ": S, ", "x", ": A)") == "f(x: A)")
    #expect(trimmed("f(", "file", ": S, ", "line", ": U) throws") == "f() throws")
    #expect(trimmed("f(", "line", ": U, (A) -> B)") == "f((A) -> B)")
    #expect(trimmed("f(", "x", ": (A) -> B)") == "f(x: (A) -> B)")
  }

  @Test("The documented modules are those of the manifest, and of the package index")
  func modules() throws {
    let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
    let manifest = try Command(program: root.appending(path: "Tools/modules").path, arguments: []).run().output
    #expect(manifest.split(separator: "\n").map(String.init) == Library.modules + ["Combine"])
    let index = try String(contentsOf: root.appending(path: ".spi.yml"), encoding: .utf8)
    #expect(index.contains("[\(Library.modules.joined(separator: ", "))]"))
  }
}

/// A symbol as the compiler describes it, with one parameter `x`.
private func symbol(
  _ path: String, in file: String, line: Int = 1, kind: String = "swift.method", declaration: String = "",
  comment: String? = nil, returns: String = ""
) throws -> Symbol {
  let components = path.split(separator: "/").map(String.init)
  var json: [String: Any] = [
    "identifier": ["precise": path, "interfaceLanguage": "swift"], "pathComponents": components,
    "accessLevel": "public", "kind": ["identifier": kind, "displayName": "Kind"],
    "names": ["title": components.last!],
    "declarationFragments": [["kind": "text", "spelling": declaration]],
    "location": ["uri": "file:///Sources/\(file)", "position": ["line": line - 1, "character": 0]],
    "functionSignature": [
      "parameters": [["name": "x", "declarationFragments": [["kind": "identifier", "spelling": "x"]]]],
      "returns": [["kind": "text", "spelling": returns]],
    ],
  ]
  json["docComment"] = comment.map { ["lines": $0.components(separatedBy: "\n").map { ["text": $0] }] }
  return try JSONDecoder().decode(Symbol.self, from: JSONSerialization.data(withJSONObject: json))
}
