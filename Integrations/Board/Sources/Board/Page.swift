import Hummingbird
import NIOCore

/// A file of the page, which is part of the program.
struct Page: Sendable {
  let type: String
  let bytes: [UInt8]

  static let board = Page(type: "text/html; charset=utf-8", bytes: PackageResources.board_html)
  static let script = Page(type: "text/javascript; charset=utf-8", bytes: PackageResources.board_js)
  static let style = Page(type: "text/css; charset=utf-8", bytes: PackageResources.board_css)
  static let icon = Page(type: "image/svg+xml", bytes: PackageResources.icon_svg)

  var response: Response {
    Response(
      status: .ok,
      headers: [.contentType: type, .contentSecurityPolicy: "default-src 'self'", .cacheControl: "no-cache"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}
