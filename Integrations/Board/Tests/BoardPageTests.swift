import Board
import Foundation
import TestSupport
import Testing

@Suite(
  .timeLimit(.minutes(5)), .enabled(if: Browser.driver != nil, Comment(rawValue: Browser.isMissing)), .aloneInProcess)
struct BoardPageTests {
  @Test func `a browser shows readings as they arrive`() async throws {
    try await BoardTests.withBoard { ports in
      try await Browser.run { browser in
        try await browser.open("http://127.0.0.1:\(ports.pages)/")
        try await browser.wait(until: "document.getElementById('state').textContent === 'Live'")
        let feed = try await TestFeed(port: ports.feed)
        try feed.send(40)
        try feed.send(2, sensor: "pump")
        try await browser.wait(until: "document.getElementById('count').textContent === '42'")
        let value = "document.querySelector('[data-sensor=boiler] .value').textContent"
        #expect(try await browser.evaluate(value, as: String.self) == "40.00")
        try feed.send(7)
        try await browser.wait(until: "\(value) === '49.00'")
        let order = "[...document.querySelectorAll('.sensor h2')].map((title) => title.textContent).join()"
        #expect(try await browser.evaluate(order, as: String.self) == "boiler,pump")
        let points = "document.querySelector('[data-sensor=boiler] .line').getAttribute('d').split('L').length"
        #expect(try await browser.evaluate(points, as: Int.self) == 47)
        try feed.send(1, sensor: String(repeating: "long", count: 100))
        try await browser.wait(until: "document.getElementById('count').textContent === '50'")
        #expect(try await browser.evaluate("document.documentElement.scrollWidth <= innerWidth", as: Bool.self))
        let messages = try await browser.messages()
        #expect(messages.isEmpty, "\(messages)")
      }
    }
  }
}
