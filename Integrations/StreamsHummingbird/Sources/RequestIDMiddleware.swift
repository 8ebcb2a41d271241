public import HTTPTypes
public import Hummingbird
public import Logging
public import ServiceContextModule

/// Gives each request an ID, which its log lines, its response and the values that it sends have.
///
/// ```swift
/// LoggingSystem.bootstrap({ StreamLogHandler.standardError(label: $0, metadataProvider: $1) }, metadataProvider: .requestID)
/// StreamContext.carryServiceContext()
/// let router = Router(context: ChannelContext.self)
/// router.add(middleware: RequestIDMiddleware())
/// ```
///
/// The ID of a client or a proxy is kept if it has at most 64 letters, digits, hyphens, underscores, points or colons. Otherwise, the
/// request gets the ID of its context.
///
/// The ID is in `ServiceContext.current`, from which `Logger.MetadataProvider.requestID` takes it. After a call of
/// `StreamContext.carryServiceContext()` of StreamsObservability, it follows the values that the request sends. The response has it
/// too, also that to an error.
public struct RequestIDMiddleware<Context: RequestContext>: RouterMiddleware {
  private let field: HTTPField.Name

  /// Creates the middleware.
  ///
  /// - Parameter field: The name of the header field, in requests and responses.
  public init(field: HTTPField.Name = .xRequestID) { self.field = field }

  public func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let id = request.headers[field].flatMap { Self.isAcceptable($0) ? $0 : nil } ?? context.id
    var context = context
    context.logger[metadataKey: ServiceContext.requestIDKey] = "\(id)"
    var serviceContext = ServiceContext.current ?? .topLevel
    serviceContext.requestID = id
    var response = try await ServiceContext.withValue(serviceContext) { () async throws -> Response in
      do {
        return try await next(request, context)
      } catch let error as any HTTPResponseError {
        return try error.response(from: request, context: context)
      }
    }
    response.headers[field] = id
    return response
  }

  private static func isAcceptable(_ id: String) -> Bool {
    !id.isEmpty && id.utf8.count <= 64
      && id.utf8.allSatisfy { byte in
        let character = Character(Unicode.Scalar(byte))
        return byte < 0x80 && (character.isLetter || character.isNumber || "-_.:".contains(character))
      }
  }
}

extension HTTPField.Name {
  /// The name of the header field with a request's ID.
  public static let xRequestID = Self("X-Request-ID")!
}

extension ServiceContext {
  private enum RequestIDKey: ServiceContextKey {
    typealias Value = String
    static let nameOverride: String? = requestIDKey
  }

  static var requestIDKey: String { "request-id" }

  /// The ID of the request, if there's one.
  public var requestID: String? {
    get { self[RequestIDKey.self] }
    set { self[RequestIDKey.self] = newValue }
  }
}

extension Logger.MetadataProvider {
  /// Adds the ID of the request to each log line.
  public static let requestID = Self {
    ServiceContext.current?.requestID.map { [ServiceContext.requestIDKey: "\($0)"] } ?? [:]
  }
}
