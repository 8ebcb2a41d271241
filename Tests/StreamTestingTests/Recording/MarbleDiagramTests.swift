import Foundation
import StreamSchedulers
import StreamTesting
import Streams
import Testing

@Suite
struct MarbleDiagramTests {
  private let scheduler = DispatchQueue.test

  private func debounce() -> MarbleDiagram {
    let letters = scheduler.hot("a-bc----d-|")
    let recorder = scheduler.record(letters.debounce(for: .milliseconds(2), scheduler: scheduler))
    scheduler.run()
    return MarbleDiagram(
      [.line(letters, name: "letters"), .operator("debounce(for: 2 ms)"), .line(recorder, name: "result")],
      title: "Debounce", frame: .milliseconds(1) as DispatchQueue.SchedulerTimeType.Stride)
  }

  @Test func `the text form shows the streams and the operator`() {
    #expect(
      debounce().text == """
        letters  a-bc----d-|
                 [ debounce(for: 2 ms) ]
        result   -----c----|
        """)
  }

  @Test func `each subscriber of a cold publisher has a line that begins at its subscription`() {
    let cold = scheduler.cold("-a--b|")
    let one = scheduler.record(cold)
    scheduler.advance(by: .milliseconds(3))
    let other = scheduler.record(cold)
    scheduler.advance(by: .milliseconds(3))
    other.cancel()
    let diagram = MarbleDiagram(MarbleDiagram.Row.lines(cold), frame: scheduler.frame)
    #expect(
      diagram.text == """
          -a--b|
             -a-!
        """)
    withExtendedLifetime(one) {}
  }

  @Test func `long values are represented by a letter`() {
    let recorder = Just("a text that is too long for a marble").record()
    #expect(
      MarbleDiagram([.line(recorder)], frame: scheduler.frame).text == """
          (A|)
        A = a text that is too long for a marble
        """)
  }

  @Test func `the same recordings produce the same bytes`() {
    let (one, other) = (debounce(), Self().debounce())
    #expect(one == other)
    for style in MarbleDiagram.Style.allCases { #expect(one.svg(style) == other.svg(style)) }
    #expect(one.svg(.light) != one.svg(.dark))
  }

  @Test func `the SVG form has a title and escaped text`() {
    let recorder = [#"<a & "b">"#].publisher.record()
    let svg = MarbleDiagram([.operator("a < b"), .line(recorder)], title: "A & B", frame: scheduler.frame).svg()
    #expect(svg.hasPrefix(#"<svg xmlns="http://www.w3.org/2000/svg""#))
    #expect(svg.contains("<title>A &amp; B</title>"))
    #expect(svg.contains(">a &lt; b</text>"))
    #expect(svg.contains("&lt;a &amp; &quot;b&quot;&gt;</text>"))
    #expect(!svg.contains("<a"))
  }

  @Test func `text too long for a marble is truncated, with a tooltip of the full text`() {
    let svg = MarbleDiagram([.line(Just("a text that is too long").record())], frame: scheduler.frame).svg()
    #expect(svg.contains(">a text that i…</text>"))
    #expect(svg.contains("<title>a text that is too long</title>"))
  }

  @Test func `recordings of any length can be drawn`() {
    let recorder = scheduler.record(scheduler.hot("a 10s b 1us c 90m |"))
    scheduler.run()
    let diagram = MarbleDiagram([.line(recorder)], frame: scheduler.frame)
    #expect(diagram.text.trimmingPrefix("  ") == "a 10s b 1us c 5400s |")
    #expect(diagram.svg().contains("</svg>"))
    #expect(MarbleDiagram([], frame: scheduler.frame).svg().contains("</svg>"))
    #expect(MarbleDiagram([], frame: scheduler.frame).text == "")
  }
}

// MARK: Colors

extension MarbleDiagramTests {
  private struct Traced: CustomStringConvertible {
    var text: String
    var origins: [String]
    var description: String { text }
  }

  /// The fill of the marble with a text.
  private func fill(of text: String, in svg: String) throws -> Substring {
    let end = try #require(svg.range(of: ">\(text)</text>")).lowerBound
    let rect = try #require(svg[..<end].range(of: "<rect", options: .backwards)).upperBound
    return try #require(svg[rect..<end].firstMatch(of: #/fill="([^"]*)"/#)).output.1
  }

  private func picture(_ traced: [Traced]) -> String {
    let (one, two) = (["1", "2"].publisher.record(), traced.publisher.record())
    return MarbleDiagram(
      [.line(one), .operator("map"), .line(two, origins: \.origins)], frame: scheduler.frame
    ).svg()
  }

  @Test func `a value has the color of the value it was made of`() throws {
    let svg = picture([Traced(text: "10", origins: ["1"]), Traced(text: "20", origins: ["2"])])
    #expect(try fill(of: "10", in: svg) == fill(of: "1", in: svg))
    #expect(try fill(of: "20", in: svg) == fill(of: "2", in: svg))
    #expect(try fill(of: "10", in: svg) != fill(of: "20", in: svg))
  }

  @Test func `a value that was made of several has the colors of all of them, each once`() throws {
    let svg = picture([Traced(text: "sum", origins: ["1", "2", "1"])])
    let colors = try [fill(of: "1", in: svg), fill(of: "2", in: svg)]
    let gradient = try #require(try fill(of: "sum", in: svg).firstMatch(of: #/url\(#(.*)\)/#)).output.1
    #expect(gradient == "marble\(colors.joined().replacing("#", with: "-"))")
    #expect(
      svg.contains(
        """
        <linearGradient id="\(gradient)">\
        <stop offset="0%" stop-color="\(colors[0])"/><stop offset="50%" stop-color="\(colors[0])"/>\
        <stop offset="50%" stop-color="\(colors[1])"/><stop offset="100%" stop-color="\(colors[1])"/></linearGradient>
        """))
  }

  @Test func `a value from nowhere has a color of its own, even if its text is that of another`() throws {
    let svg = picture([Traced(text: "made", origins: []), Traced(text: "x", origins: ["made"])])
    let fills = try ["1", "2", "made", "x"].map { try fill(of: $0, in: svg) }
    #expect(Set(fills).count == 4)
  }

  @Test func `without origins, equal values have the same color`() throws {
    let svg = MarbleDiagram(
      [.line([1, 2].publisher.record()), .operator("x"), .line([2].publisher.record())], frame: scheduler.frame
    ).svg()
    #expect(svg.matches(of: #/>2<\/text>/#).count == 2)
    #expect(Set(svg.matches(of: #/rx="12" fill="([^"]*)"/#).map(\.output.1)).count == 2)
  }

  @Test func `of many origins, the last six are shown`() throws {
    let svg = picture([Traced(text: "all", origins: (1...9).map(String.init))])
    #expect(svg.matches(of: #/<stop /#).count == 12)
    #expect(!svg.contains("gradient id=\"marble\""))
  }
}

// MARK: Subscriptions

extension MarbleDiagramTests {
  @Test func `a subscription is marked, and a hot publisher that is cancelled is gray from there on`() {
    let letters = scheduler.hot("-a-b-c-|")
    let recorder = scheduler.record(letters.first())
    scheduler.run()
    let diagram = MarbleDiagram([.line(letters), .operator("first()"), .line(recorder)], frame: scheduler.frame)
    let svg = diagram.svg()
    #expect(svg.matches(of: #/<title>subscribed<\/title>/#).count == 2)
    #expect(svg.matches(of: #/>cancelled<\/text>/#).count == 1)
    #expect(svg.matches(of: #/stroke-width="1.5" stroke-dasharray/#).count == 2, "b and c reach nobody")
    #expect(
      diagram.text == """
          -a   -b-c-|
          [ first() ]
          -(a|)
        """, "the text has the events of the publisher, whoever receives them")
  }

  @Test func `a hot publisher to which nobody has subscribed is drawn as it is`() {
    let svg = MarbleDiagram([.line(scheduler.hot("-a-b|"))], frame: scheduler.frame).svg()
    #expect(!svg.contains("stroke-dasharray"))
    #expect(!svg.contains("subscribed"))
  }

  @Test func `each subscription to a cold publisher is marked, and each cancellation`() {
    let cold = scheduler.cold("-a-b-|")
    let recorder = scheduler.record(cold.append(cold).prefix(3))
    scheduler.run()
    let svg = MarbleDiagram(MarbleDiagram.Row.lines(cold), frame: scheduler.frame).svg()
    #expect(svg.matches(of: #/<title>subscribed<\/title>/#).count == 2)
    #expect(svg.matches(of: #/>cancelled<\/text>/#).count == 1)
    withExtendedLifetime(recorder) {}
  }
}

// MARK: Captions

extension MarbleDiagramTests {
  private func caption(_ rows: [MarbleDiagram.Row]) -> String { MarbleDiagram(rows, frame: scheduler.frame).caption }

  @Test func `a caption tells what sources and results do`() {
    let numbers = scheduler.hot("-12-----3-|")
    let letters = scheduler.hot("---a-b-|")
    let zipped = scheduler.record(numbers.zip(letters) { $0 + $1 })
    scheduler.run()
    #expect(
      caption([.line(numbers, name: "numbers"), .line(letters), .operator("zip"), .line(zipped)])
        == "numbers publishes 1 and 2 and is cancelled; the source publishes a and b and finishes; "
        + "the result publishes 1a and 2b and finishes.")
    #expect(
      caption([.line(numbers), .line(letters), .operator("zip"), .line(zipped, name: "pairs")])
        == "The first source publishes 1 and 2 and is cancelled; the second source publishes a and b and finishes; "
        + "pairs receives 1a and 2b and finishes.")
    #expect(caption([.line(zipped)]) == "The result publishes 1a and 2b at 3 and 5 ms and finishes at 7 ms.")
    #expect(caption([]) == "")
    #expect(caption([.operator("map")]) == "")
  }

  @Test func `a caption has times where the operator acts at times of its own`() {
    #expect(
      debounce().caption
        == "letters publishes a, b, c and d at 0 s, 2 ms, 3 ms and 8 ms and finishes at 10 ms; "
        + "result receives c at 5 ms and finishes at 10 ms.")
  }

  @Test func `a caption tells of further subscriptions, failures and cancellations`() {
    struct Failed: Error {}
    let cold = scheduler.cold("-a-#", error: Failed())
    let recorder = scheduler.record(cold.retry(1))
    scheduler.run()
    #expect(
      caption(MarbleDiagram.Row.lines(cold) + [.operator("retry(1)"), .line(recorder)])
        == "The source publishes a and fails; subscribed to again at 3 ms, it publishes a and fails; "
        + "the result publishes a and a and fails.")
    let never = scheduler.record(Empty<Int, Never>(completeImmediately: false))
    #expect(caption([.line(never)]) == "The result, subscribed at 6 ms, publishes nothing.")
    never.cancel()
    #expect(caption([.line(never)]) == "The result, subscribed at 6 ms, is cancelled.")
  }

  @Test func `a caption has at most 200 characters`() {
    let values = (1...40).map { "value \($0)" }
    let one = MarbleDiagram.Row.line(values.publisher.record(), name: "one")
    #expect(caption([one]) == "one receives value 1, … and value 40 and finishes.")
    let many = caption([one, one, one, one, one, one])
    #expect(many.contains("; …; one receives"))
    #expect(many.count <= 200)
    let long = MarbleDiagram.Row.line(Just(String(repeating: "x", count: 300)).record())
    #expect(caption([long]).count == 200)
    #expect(caption([long]).hasSuffix("…"))
    #expect(caption([.line(Just("a\nb").record())]) == "The result publishes a b and finishes.")
  }

  @Test func `the caption is the description of the image`() {
    let svg = MarbleDiagram([.line(Just("<a>").record())], title: "Title", frame: scheduler.frame).svg()
    #expect(svg.contains("<title>Title</title>\n<desc>The result publishes &lt;a&gt; and finishes.</desc>"))
    #expect(svg.contains(#"aria-label="The result publishes &lt;a&gt; and finishes.""#))
  }
}
