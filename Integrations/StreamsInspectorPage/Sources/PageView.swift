/// What a page shows, as its script says.
struct PageView: Decodable, Sendable {
  /// How many times the page has changed its view. What it's sent repeats it.
  var version = 0
  /// A text that the places contain.
  var filter = ""
  var order = Order.count
  /// Whether only places are shown that have changed since the mark.
  var isChangedOnly = false
  /// The places whose streams are listed.
  var expanded: Set<String> = []
  /// The rows that are kept by the page, and those of them that are on screen.
  var rows = Window()
  var screen = Window()
  /// The key of the selected row.
  var selected: String?
  /// The key of the stream or the place that is open.
  var open: String?
  /// The moment to compare with.
  var mark: Int?

  struct Window: Decodable, Sendable {
    var start = 0
    var count = 0

    func clamped(to limit: Int) -> Range<Int> {
      let start = min(max(0, start), Int(Int32.max))
      return start..<(start + min(max(0, count), limit))
    }
  }

  enum Order: String, Decodable, Sendable {
    case count, rate, received, place, newest, change
  }
}
