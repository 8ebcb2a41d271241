extension FailureTimelines: DrawnAsPicture {
  var picture: String {
    let rows = rows.map { MarbleDiagram.Row.line(MarbleDiagram.Line($0)) }
    return MarbleDiagram(rows, title: title, nanosecondsPerFrame: frame).svg(.light)
  }
}
