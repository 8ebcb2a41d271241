/// An upstream link that carries an operator's name, or calls the operator's closures for cancellations and dropped values.
///
/// An operator in another module can't inherit from a link, because classes with `package` access can't be subclassed there.
@usableFromInline
package final class AnnotatedLink: CountedUpstreamLink {
  /// The name that inspection shows, if any.
  package let name: String?
  private let whenCancelled: (() -> Void)?
  private let whenValueDropped: (() -> Void)?

  @usableFromInline
  package init(name: String) {
    self.name = name
    whenCancelled = nil
    whenValueDropped = nil
    super.init()
  }

  /// Creates a link that calls closures outside its lock: after each cancellation, and when a subject drops a value.
  package init(whenCancelled: (() -> Void)? = nil, whenValueDropped: (() -> Void)? = nil) {
    name = nil
    self.whenCancelled = whenCancelled
    self.whenValueDropped = whenValueDropped
    super.init()
  }

  @usableFromInline
  package override func cancel() {
    super.cancel()
    whenCancelled?()
  }

  override func valueDropped(hasRequested: Bool, for subscriber: Any) {
    whenValueDropped?()
    super.valueDropped(hasRequested: hasRequested, for: subscriber)
  }
}
