import Hummingbird
import NIOCore

/// The context of a request, which keeps the channel that the request came from.
///
/// An event stream then waits until the channel's event loop has written what it has sent, so that a page that doesn't read is
/// noticed early.
struct BoardContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }
}
