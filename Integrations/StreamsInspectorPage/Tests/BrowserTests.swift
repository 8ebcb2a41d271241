import AsyncHTTPClient
import Foundation
import StreamInspection
import Streams
import TestSupport
import Testing

extension InspectorPageTests {
  @Suite(.enabled(if: Browser.driver != nil, Comment(rawValue: Browser.isMissing)))
  struct BrowserTests {
    /// What nobody may see in a page's console.
    private func checkMessages(_ browser: Browser) async throws {
      let messages = try await browser.messages()
      #expect(messages.filter { !$0.contains("ERR_") }.isEmpty, "\(messages)")
    }

    @Test func `streams are found, opened and closed with the keyboard`() async throws {
      try await serve { address in
        try await Browser.run { browser in
          try await browser.open(address)
          try await browser.wait(until: "document.body.innerText.includes('No live streams')")
          let demo = DemoStreams()
          demo.beginThree()
          for number in 0..<100 { demo.send(number) }
          try await browser.wait(until: "document.querySelectorAll('.row').length === 3")
          try await browser.press("/", "D", "e", "m", "o", "S", ":", "2", "2")
          try await browser.wait(until: "document.body.innerText.includes('Nothing matches')")
          try await browser.press(Browser.Key.escape, Browser.Key.escape)
          try await browser.wait(until: "document.querySelectorAll('.row').length === 3")

          // The third stream has a queue that is full.
          try await browser.press("j", Browser.Key.down, Browser.Key.enter)
          try await browser.wait(until: "document.querySelector('#detail')?.innerText.includes('64 of 64 waiting')")
          let text = try await browser.evaluate("document.querySelector('#detail').innerText", as: String.self)
          #expect(text.contains("receive(on:)") && text.contains("for virtual time to advance"), "\(text)")
          #expect(
            try await browser.evaluate(
              """
              ["#list", ".tree"].every((name) => document.querySelector(name).role === "tree")
                && document.querySelectorAll(".row[role=treeitem][aria-selected=true]").length === 1
                && document.getElementById("list").getAttribute("aria-activedescendant")
                  === document.querySelector(".row[aria-selected=true]").id
                && [...document.querySelectorAll(".tree li")].every((item) => item.role === "treeitem" && item.ariaLevel)
              """, as: Bool.self))
          // The selected row is seen to have the focus.
          #expect(
            try await browser.evaluate(
              "getComputedStyle(document.querySelector('.row[aria-selected=true]')).outlineStyle", as: String.self)
              == "solid")
          try await browser.press(Browser.Key.escape)
          try await browser.wait(until: "!document.querySelector('.tree')")

          try await browser.press("k", Browser.Key.enter)
          try await browser.wait(until: "document.querySelector('#detail')?.innerText.includes('right has none')")
          demo.endThree()
          try await browser.wait(
            until: "document.querySelector('#detail')?.innerText.includes('This stream has ended')")
          #expect(try await browser.evaluate("document.querySelectorAll('.part').length", as: Int.self) > 2)
          try await self.checkMessages(browser)
        }
      }
    }

    @Test func `a row stays selected when rows are sent anew`() async throws {
      try await serve { address in
        try await Browser.run { browser in
          let demo = DemoStreams()
          demo.beginThree()
          try await browser.open(address)
          try await browser.wait(until: "document.querySelectorAll('.row').length === 3")
          // The server knows which row was open.
          try await browser.press("j", "j", Browser.Key.enter)
          try await browser.wait(until: "document.querySelector('.tree')")
          try await browser.press(Browser.Key.escape, "k")
          try await browser.run("window.drawn = document.querySelector('#list').innerText")
          for number in 0..<3 {
            demo.send(number)
            try await browser.wait(until: "document.querySelector('#list').innerText !== drawn")
            try await browser.run("drawn = document.querySelector('#list').innerText")
          }
          #expect(
            try await browser.evaluate(
              "[...document.querySelectorAll('.row')].findIndex((row) => row.ariaSelected === 'true')", as: Int.self)
              == 1)
          demo.endThree()
          try await self.checkMessages(browser)
        }
      }
    }

    @Test func `what began since a mark is listed`() async throws {
      try await serve { address in
        try await Browser.run { browser in
          let demo = DemoStreams()
          demo.beginThree()
          try await browser.open(address)
          try await browser.wait(until: "document.querySelectorAll('.row').length === 3")
          try await browser.click("#mark")
          try await browser.wait(until: "document.body.innerText.includes('0 began, 0 ended')")
          demo.beginCrowd(10)
          try await browser.wait(until: "document.body.innerText.includes('10 began, 0 ended')")
          try await browser.wait(until: "document.body.innerText.includes('+6')")
          try await browser.click("#changed-only")
          try await browser.wait(until: "document.querySelectorAll('.row').length === 5")
          demo.end(10)
          demo.endThree()
          try await browser.wait(until: "document.body.innerText.includes('0 began, 3 ended')")
          try await self.checkMessages(browser)
        }
      }
    }

    @Test func `a lost connection is shown and made again`() async throws {
      let port = try await serve { Int($0.split(separator: ":").last?.dropLast() ?? "") ?? 0 }
      try await Browser.run { browser in
        try await serve(port: port) { address in
          try await browser.open(address)
          try await browser.wait(until: "document.getElementById('connection').dataset.state === 'live'")
        }
        try await browser.wait(until: "document.getElementById('connection').innerText.includes('Connection lost')")
        #expect(try await browser.evaluate("document.body.classList.contains('is-lost')", as: Bool.self))
        try await serve(port: port) { _ in
          let demo = DemoStreams()
          demo.beginThree()
          try await browser.wait(until: "document.getElementById('connection').dataset.state === 'live'")
          try await browser.wait(until: "document.querySelectorAll('.row').length === 3")
          demo.endThree()
        }
      }
    }

    @Test func `a page too many says why it's refused, and opens as soon as there's room`() async throws {
      var configuration = HTTPClient.Configuration()
      configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 40
      let client = HTTPClient(configuration: configuration)
      defer { client.shutdown { _ in } }
      try await serve { address in
        var readers: [EventReader] = []
        for _ in 0..<32 { readers.append(try await EventReader(address, client: client)) }
        try await Browser.run { browser in
          try await browser.open(address)
          try await browser.wait(
            until: "document.getElementById('connection').innerText.includes('32 pages are open, which is the most')")
          readers.removeAll()
          try await browser.wait(until: "document.getElementById('connection').dataset.state === 'live'")
        }
      }
    }

    @Test func `counts of the last minute are drawn and told`() async throws {
      try await serve { address in
        try await Browser.run { browser in
          let demo = DemoStreams()
          demo.beginThree()
          try await browser.open(address)
          let legends = "[...document.querySelectorAll('.history figcaption')].map((legend) => legend.innerText)"
          try await browser.wait(until: "\(legends)[0]?.startsWith('live streams in the last 2 s: 3 to 3, now 3')")
          demo.endThree()
          try await browser.wait(until: "/^live streams in the last .*: 0 to 3, now 0$/.test(\(legends)[0])")
          #expect(
            try await browser.evaluate(
              "document.querySelector('.history polyline').getAttribute('points').split(' ').length >= 3", as: Bool.self
            ))
          try await self.checkMessages(browser)
        }
      }
    }

    @Test func `texts have enough contrast in light and in dark, wide and narrow`() async throws {
      try await serve { address in
        try await Browser.run { browser in
          let demo = DemoStreams()
          demo.beginThree()
          for number in 0..<100 { demo.send(number) }
          try await browser.open(address)
          try await browser.wait(until: "document.querySelectorAll('.row').length === 3")
          try await browser.press("j", "j", Browser.Key.enter, "m")
          try await browser.wait(until: "document.querySelector('.tree') && document.querySelector('.with-mark')")
          for (isDark, width) in [(false, 1_280), (true, 1_280), (false, 400), (true, 400)] {
            try await browser.show(width: width, height: 800, isDark: isDark)
            // The contrast of WCAG 2, for each element with a text of its own.
            let poor = try await browser.evaluate(Self.poorTexts, as: [String].self)
            #expect(poor.isEmpty, "\(isDark ? "dark" : "light"): \(poor)")
            #expect(try await browser.evaluate("document.documentElement.scrollWidth <= innerWidth", as: Bool.self))
          }
          demo.endThree()
        }
      }
    }

    private static let poorTexts = """
      (() => {
        const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
        const rgba = (color) => {
          context.clearRect(0, 0, 1, 1); context.fillStyle = color; context.fillRect(0, 0, 1, 1);
          return [...context.getImageData(0, 0, 1, 1).data];
        };
        const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255)
          .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
          .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
        const back = (element) => {
          for (; element; element = element.parentElement) {
            const color = rgba(getComputedStyle(element).backgroundColor);
            if (color[3] > 250) return color;
          }
          return rgba("Canvas");
        };
        return [...document.querySelectorAll("body *")].filter((element) =>
          element.checkVisibility() && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())
        ).flatMap((element) => {
          const [a, b] = [luminance(rgba(getComputedStyle(element).color)), luminance(back(element))].sort((x, y) => y - x);
          const ratio = (a + 0.05) / (b + 0.05);
          return ratio < 4.5 ? [`${ratio.toFixed(2)} ${element.className}: ${element.textContent}`] : [];
        });
      })()
      """

    @Test func `ten thousand streams don't freeze the page`() async throws {
      try await serve { address in
        try await Browser.run { browser in
          let demo = DemoStreams()
          demo.beginCrowd(10_000)
          try await browser.open(address)
          try await browser.wait(until: "document.getElementById('streams').innerText === '10,000'")
          try await browser.press(Browser.Key.right, Browser.Key.enter)
          try await browser.wait(until: "document.querySelectorAll('.row.is-stream').length > 5")
          try await browser.run(
            """
            window.frames_ = []; window.tasks = []; window.drawn = 0;
            new PerformanceObserver((list) => { for (const entry of list.getEntries()) tasks.push(entry.duration) })
              .observe({ type: "longtask" });
            requestAnimationFrame(function frame(time) { frames_.push(time); requestAnimationFrame(frame); });
            const list = document.getElementById("list");
            window.scrolling = setInterval(() => {
              list.scrollTop = (list.scrollTop + 3000) % list.scrollHeight;
              drawn = Math.max(drawn, document.querySelectorAll(".row").length);
            }, 100)
            """)
          for number in 0..<60 {
            demo.send(number)
            if number % 10 == 0 {
              demo.end(5)
              demo.beginCrowd(5)
            }
            try await browser.wait(until: "frames_.length > \(number * 4)")
          }
          try await browser.run("clearInterval(scrolling)")
          let gaps = try await browser.evaluate(
            "frames_.slice(1).map((time, index) => time - frames_[index]).sort((a, b) => a - b)", as: [Double].self)
          let tasks = try await browser.evaluate("tasks", as: [Double].self)
          #expect(try await browser.evaluate("drawn", as: Int.self) < 60)
          #expect(try await browser.evaluate("document.querySelectorAll('*').length", as: Int.self) < 2_000)
          // A frozen page would stand still for seconds. The machine may be busy.
          #expect((tasks.max() ?? 0) < 1_000)
          print(
            "10,000 streams in the browser: \(gaps.count) frames, median \(gaps[gaps.count / 2]) ms, "
              + "longest \(gaps.last ?? 0) ms; longest task \(tasks.max().map { "\($0) ms" } ?? "below 50 ms")")
          demo.end(10_000)
          try await self.checkMessages(browser)
        }
      }
    }
  }
}
