import ArgumentParser
import Foundation

@main struct PublicPart: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "api",
    abstract: "Removes from dumps of swift-api-digester what is not public API.",
    discussion: """
      The digester dumps and compares declarations with `package` or internal access as well, and those whose names begin with \
      an underscore.
      """)

  @Argument(help: "The dumps, which are rewritten.")
  var files: [String]

  func run() throws {
    for file in files.map(URL.init(fileURLWithPath:)) {
      guard var dump = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any],
        let root = dump["ABIRoot"] as? [String: Any]
      else { throw ValidationError("\(file.path) is not a dump of swift-api-digester") }
      dump["ABIRoot"] = Self.publicPart(of: root)
      try JSONSerialization.data(withJSONObject: dump).write(to: file)
    }
  }

  private static func publicPart(of node: [String: Any]) -> [String: Any] {
    var node = node
    // A property's accessors are nodes of their own.
    for key in ["children", "accessors"] {
      node[key] = (node[key] as? [[String: Any]])?.filter(isPublic).map(publicPart)
    }
    return node
  }

  private static func isPublic(_ node: [String: Any]) -> Bool {
    // What is not a declaration is the type of one, or an import.
    guard node["declKind"] != nil, node["kind"] as? String != "Import" else { return true }
    return node["isInternal"] as? Bool != true && (node["name"] as? String)?.hasPrefix("_") != true
  }
}
