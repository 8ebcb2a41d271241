// Removes from dumps of swift-api-digester what is not public API: declarations with `package` or internal access, which it
// dumps and compares as well, and those whose names begin with an underscore.
//
//     public-api FILES    # rewrites the files
import Foundation

func publicPart(of node: [String: Any]) -> [String: Any] {
  var node = node
  node["children"] = (node["children"] as? [[String: Any]])?.filter(isPublic).map(publicPart)
  // A property's accessors are nodes of their own.
  node["accessors"] = (node["accessors"] as? [[String: Any]])?.filter(isPublic).map(publicPart)
  return node
}

func isPublic(_ node: [String: Any]) -> Bool {
  // What is not a declaration is the type of one, or an import.
  guard node["declKind"] != nil, node["kind"] as? String != "Import" else { return true }
  return node["isInternal"] as? Bool != true && (node["name"] as? String)?.hasPrefix("_") != true
}

for path in CommandLine.arguments.dropFirst() {
  let file = URL(fileURLWithPath: path)
  guard var dump = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any],
    let root = dump["ABIRoot"] as? [String: Any]
  else { fatalError("\(path) is not a dump of swift-api-digester") }
  dump["ABIRoot"] = publicPart(of: root)
  try JSONSerialization.data(withJSONObject: dump).write(to: file)
}
