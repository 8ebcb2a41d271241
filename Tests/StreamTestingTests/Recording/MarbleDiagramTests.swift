import Dispatch
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
