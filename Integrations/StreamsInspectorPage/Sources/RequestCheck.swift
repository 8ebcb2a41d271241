internal import HTTPTypes
internal import Hummingbird

/// Decides which requests come from a page of the inspector itself, or from a person.
///
/// A page of another origin can make a browser send requests to the loopback. It can't choose the header fields that are looked
/// at here.
struct RequestCheck: Sendable {
  let names: Set<String>

  /// Indicates whether an address or a name can only be that of this machine.
  static func isLoopback(_ name: String) -> Bool {
    if ["localhost", "::1", "[::1]"].contains(name) { return true }
    let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
  }

  /// Returns why a request is refused, or `nil` if it isn't.
  ///
  /// - Parameter isDocument: Whether it's for the document alone, which has no data and to which other pages may link.
  func refusal(of request: Request, isDocument: Bool = false) -> String? {
    guard let authority = request.head.authority?.lowercased(), request.headers[.host] == nil else {
      return "The request needs one header field Host."
    }
    let name = Self.name(of: authority)
    guard Self.isLoopback(name) || names.contains(name) else {
      return "The inspector isn't reachable as \(name). Use localhost, or pass the name to InspectorPage(reachableAs:)."
    }
    if let origin = request.headers[.origin]?.lowercased(),
      origin != "http://\(authority)", origin != "https://\(authority)"
    {
      return "Requests from other origins are refused."
    }
    let isNavigation = isDocument && request.headers[.secFetchMode] == "navigate"
    if let site = request.headers[.secFetchSite], site != "same-origin", site != "none", !isNavigation {
      return "Requests from other origins are refused."
    }
    return nil
  }

  /// The part of an authority without the port.
  private static func name(of authority: String) -> String {
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") { return String(authority[...end]) }
    return String(authority.prefix { $0 != ":" })
  }
}

extension HTTPField.Name {
  fileprivate static var host: Self { Self("Host")! }
  fileprivate static var secFetchMode: Self { Self("Sec-Fetch-Mode")! }
  fileprivate static var secFetchSite: Self { Self("Sec-Fetch-Site")! }
}
