import Foundation
import ToolsSupport

/// The texts with which an operator begins, with places to fill in: `<#…#>`, at which the compiler stops.
struct Skeletons {
  private let name: String
  private let type: String
  private let call: String
  private let signature: Signature
  private let sources: Int

  init(of signature: Signature, example: String?, sources: Int) {
    name = signature.name
    type = signature.typeName
    call = example ?? signature.call
    self.signature = signature
    self.sources = sources
  }

  /// A stage, which handles each value, may keep state, and may end early.
  var `operator`: String {
    let parameters = signature.parameters
    func list(_ separator: String, _ text: (Parameter) -> String) -> String {
      parameters.map(text).joined(separator: separator)
    }
    let documented = list("") { "\n  /// - Parameter \($0.name): <#What it is.#>" }
    let properties = list("") { "\n\n  /// <#What it is.#>\n  public let \($0.name): \($0.type)" }
    let assignments = list("") { "\n    self.\($0.name) = \($0.name)" }
    let source = "The publisher whose values it receives."
    let arguments =
      parameters.isEmpty
      ? "  /// - Parameter upstream: \(source)"
      : "  /// - Parameters:\n  ///   - upstream: \(source)" + list("") { "\n  ///   - \($0.name): <#What it is.#>" }
    let requirement =
      parameters.isEmpty
      ? "" : "\n    <#require(count > 0, or: \"\(signature.text) requires a count of at least 1, got \\(count).\")#>"
    let precondition = parameters.isEmpty ? "" : "\n  /// - Precondition: <#`count` is positive.#>"
    return """
      public import Streams

      extension Publisher {
        /// Publishes <#what, in one sentence#>.
        ///
        ///     [1, 2, 3].publisher.\(call)   // <#1 2 3#>
        ///
        /// ![The caption, which is generated.](diagram-\(name))
        ///
        /// <#How many values it requests from upstream for each that downstream requests, and what happens to demand for a value
        /// that it drops. What completion, failure and cancellation do. On whose thread it delivers. What it buffers.#>
        ///\(documented)\(precondition)
        /// <#- Complexity: What it is, unless it is O(1) for each value.#>
        @inlinable @_disfavoredOverload
        public __consuming func \(name)(\(list(", ") { $0.declaration(keepingDefault: true) })) -> \(type)Publisher<Self> {
          \(type)Publisher(upstream: self\(list("") { ", \($0.name): \($0.name)" }))
        }
      }

      /// The publisher that ``Streams/Publisher/\(signature.text)`` returns.
      @frozen
      public struct \(type)Publisher<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher whose values it receives.
        public let upstream: Upstream\(properties)

        /// Creates the publisher.
        ///
      \(arguments)
        @inlinable
        public init(upstream: Upstream\(list("") { ", \($0.name): \($0.type)" })) {\(requirement)
          self.upstream = upstream\(assignments)
        }

        @inlinable @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
          let stage = \(type)Stage<Upstream.Output>(\(list(", ", \.name)))
          upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(stage, subscriber))
        }
      }

      extension \(type)Publisher: Equatable where Upstream: Equatable {}
      extension \(type)Publisher: Sendable where Upstream: Sendable {}

      @usableFromInline @frozen
      struct \(type)Stage<Input>: Stage {
        @usableFromInline static var name: String { "\(name)" }

        // <#What it keeps between values, such as: @usableFromInline var count = 0#>

        @inlinable
        init(\(list(", ") { "_ \($0.name): \($0.type)" })) { <#assignments#> }

        // <#Remove this line, and also the property if the stage calls a closure of the user.#>
        @inlinable
        static var callsOut: Bool { false }

        @inlinable
        mutating func receive(_ input: Input) throws(Never) -> Verdict<Input> {
          <#return .emit(input), .skip, .finish, or another verdict (Stage.swift)#>
        }
      }

      """
  }

  /// A neighbor with other names.
  func copy(of neighbor: String) throws -> String {
    let stem = URL(fileURLWithPath: neighbor).deletingPathExtension().lastPathComponent
    let old = stem.prefix(1).lowercased() + stem.dropFirst()
    var code = try String(contentsOfFile: "Sources/\(neighbor)", encoding: .utf8)
      .replacing(try Regex("\\b\(stem)"), with: type)
    // Its name as code, not as a word.
    for (before, after) in [("", "("), ("func ", ""), ("diagram-", ""), ("\"", "\"")] {
      code = code.replacing("\(before)\(old)\(after)", with: "\(before)\(name)\(after)")
    }
    var note = "// <#A copy of \(neighbor). Change what differs, its documentation first, and remove this note."
    if neighbor.hasPrefix("Streams/") {
      note += """

        // What Combine lacks begins with `public import Streams`, its method is `@_disfavoredOverload`, and its publisher is
        // `\(type)Publisher` at the top level.
        """
    }
    return note + "#>\n" + code
  }

  var tests: String {
    """
    import StreamAlgorithms
    import Streams
    import SuiteSupport
    import Testing

    struct \(type)Tests {
      private let source = ManualSource<Int, TestError>()

      @Test func `publishes <#what#>`() {
        #expect(log([1, 2, 3].publisher.\(call)) == [<#"1", "2", "3"#>, "finished"])
      }

      @Test func `requests <#as much as downstream, and one more for a value that it drops#>`() {
        let recorder = record(source.\(call), .max(1))
        #expect(source.requests == [<#.max(1)#>])
        #expect(source.send(1) == <#.none#>)
        #expect(recorder.log == [<#"1"#>])
      }

      @Test func `forwards a failure`() {
        let recorder = record(source.\(call))
        source.send(1)
        source.fail(.first)
        #expect(recorder.log == [<#"1"#>, "first"])
      }

      @Test func `forwards cancellation and then publishes nothing`() {
        let recorder = record(source.\(call))
        source.send(1)
        recorder.cancel()
        source.send(2)
        #expect(source.cancelCount == 1)
        #expect(recorder.log == [<#"1"#>])
      }

      @Test func `starts over for each subscriber`() {
        let publisher = [1, 2].publisher.\(call)
        #expect(log(publisher) == [<#"1", "2"#>, "finished"])
        #expect(log(publisher) == [<#"1", "2"#>, "finished"])
      }\(badInput)
    }

    """
  }

  private var badInput: String {
    guard !signature.parameters.isEmpty else { return "" }
    return """


        @Test(.exits) func `<#a count of zero#> stops the program`() async {
          let result = await #expect(processExitsWith: .failure, observing: [\\.standardErrorContent]) {
            _ = [1].publisher.\(signature.call)
          }
          let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
          #expect(text.contains("\(signature.text) requires <#a count of at least 1, got 0.#>"))
        }
      """
  }

  /// What is not marked as available only explains the mistake.
  var explanation: String {
    let declared = signature.parameters.map { $0.declaration(keepingDefault: true) }.joined(separator: ", ")
    return """
        @available(*, unavailable, message: "add `import StreamAlgorithms`, which has this operator")
        @_alwaysEmitIntoClient @_disfavoredOverload
        public func \(name)(\(declared)) -> AnyPublisher<Output, Failure> { explain() }

      """
  }

  /// The operator with random arguments.
  var randomCase: String {
    "\(type)(\(signature.parameters.map { "\($0.name): <#any(1...3)#>" }.joined(separator: ", ")))"
  }

  /// What each source publishes in turn: 1, 2 and 3.
  var contract: String {
    """
        CatalogEntry("\(name)", gives: "<#1 2 3#> finished") { $0.source().\(call).asText() },
    """
  }

  var diagram: String {
    """
        DiagramEntry("\(name)", "\(call)") { $0.numbers("<#-1--2---3--|#>").\(call) },
    """
  }

  var specification: String {
    if sources == 2 {
      return """
        struct \(type): BinaryOperator {
          <#as its neighbors in this file: what it publishes in the package, and what it does in answer to each event#>
        }

        """
    }
    let properties = signature.parameters.map { "\n  let \($0.name): \($0.type)" }.joined()
    let arguments = signature.parameters.map { ($0.label == "_" ? "" : "\($0.label): ") + $0.name }
    return """
      struct \(type): Operator {\(properties)
        func publisher(of source: some Source, in world: World) -> any Source {
          source.\(name)(\(arguments.joined(separator: ", ")))
        }

        mutating func receive(_ value: Int) -> [Effect] { <#[.send(value)], or [.request()] for a value that it drops#> }
      }

      """
  }

  var gallery: String {
    """

    - <#what you want to do#>: [`\(signature.text)`](doc:Streams/Publisher/\(signature.text))

      ![The caption, which is generated.](diagram-\(name))
    """
  }

  /// Two threads that meet in its engine.
  var scenario: String {
    """
        ("\(name)", { $0.\(name)(<#with or by:#> $1).map { "\\($0)" }.eraseToAnyPublisher() }),
    """
  }
}
