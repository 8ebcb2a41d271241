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
    // A number with a sign or a leading zero is none in an address, so a name server could resolve the whole.
    return numbers.count == 4 && numbers[0] == "127"
      && numbers.allSatisfy { number in UInt8(number).map { "\($0)" == number } ?? false }
  }

  /// Returns why a request is refused, or `nil` if it isn't.
  ///
  /// - Parameter isDocument: Whether it's for the document alone, which has no data and to which other pages may link.
  func refusal(of request: Request, isDocument: Bool = false) -> String? {
    guard let authority = request.head.authority?.lowercased(), request.headers[.host] == nil else {
      return "The request needs one header field Host."
    }
    let name = Self.name(of: authority)
    guard let name, Self.isLoopback(name) || names.contains(name) else {
      return
        "The inspector isn't reachable as \(name ?? authority). Use localhost, or pass the name to InspectorPage(reachableAs:)."
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

  /// Returns the part of an authority without the port, or `nil` if it isn't a name or an address with at most a port.
  private static func name(of authority: String) -> String? {
    authority.wholeMatch(of: #/(\[[0-9a-f:.]+\]|[^:@\[\]]+)(:[0-9]*)?/#).map { String($0.1) }
  }
}

extension HTTPField.Name {
  fileprivate static var host: Self { Self("Host")! }
  fileprivate static var secFetchMode: Self { Self("Sec-Fetch-Mode")! }
  fileprivate static var secFetchSite: Self { Self("Sec-Fetch-Site")! }
}
