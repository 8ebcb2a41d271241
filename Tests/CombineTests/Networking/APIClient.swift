import Combine
import Foundation
import XCTest

// MARK: - Client

protocol APISession {
  func dataTaskPublisher(for request: URLRequest) -> URLSession.DataTaskPublisher
}

extension URLSession: APISession {}

enum APIError: Error, Equatable {
  case badStatus(Int)
  case decoding
  case transport(URLError.Code)
  case unknown

  init(_ error: Error) {
    switch error {
    case let error as APIError: self = error
    case let error as URLError: self = .transport(error.code)
    case is DecodingError: self = .decoding
    default: self = .unknown
    }
  }
}

struct Repo: Codable, Equatable, Identifiable {
  let id: Int
  let fullName: String
  var starCount: Int

  enum CodingKeys: String, CodingKey {
    case id
    case fullName = "full_name"
    case starCount = "stargazers_count"
  }
}

struct APIClient {
  let baseURL = URL(string: "https://api.example.com")!
  let session: APISession
  let decoder = JSONDecoder()

  func repo(named name: String) -> AnyPublisher<Repo, APIError> {
    run(URLRequest(url: baseURL.appendingPathComponent(name)))
  }

  func run<T: Decodable>(_ request: URLRequest) -> AnyPublisher<T, APIError> {
    session.dataTaskPublisher(for: request)
      .tryMap { output -> Data in
        guard let response = output.response as? HTTPURLResponse else { throw APIError.unknown }
        guard 200..<300 ~= response.statusCode else { throw APIError.badStatus(response.statusCode) }
        return output.data
      }
      .decode(type: T.self, decoder: decoder)
      .mapError(APIError.init)
      .receive(on: DispatchQueue.main)
      .eraseToAnyPublisher()
  }
}

extension URLSession {
  func publisher<T: Decodable>(
    for url: URL, responseType: T.Type = T.self, decoder: JSONDecoder = .init()
  ) -> AnyPublisher<T, Error> {
    dataTaskPublisher(for: url)
      .map(\.data)
      .decode(type: T.self, decoder: decoder)
      .eraseToAnyPublisher()
  }

  func adaptiveLoader(regularURL: URL, lowDataURL: URL) -> AnyPublisher<Data, Error> {
    dataTaskPublisher(for: regularURL)
      .tryCatch { error -> URLSession.DataTaskPublisher in
        guard error.code == .cannotFindHost else { throw error }
        return self.dataTaskPublisher(for: lowDataURL)
      }
      .tryMap { data, response -> Data in
        guard let httpResponse = response as? HTTPURLResponse, httpResponse.statusCode == 200 else {
          throw URLError(.badServerResponse)
        }
        return data
      }
      .eraseToAnyPublisher()
  }
}

// MARK: - Stub

final class StubURLProtocol: URLProtocol {
  static var requests = [URLRequest]()
  static var handler: ((URLRequest) throws -> (Int, Data))!

  override class func canInit(with request: URLRequest) -> Bool { true }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    StubURLProtocol.requests.append(request)
    do {
      let (status, data) = try StubURLProtocol.handler(request)
      let response = HTTPURLResponse(
        url: request.url!, statusCode: status, httpVersion: "HTTP/1.1",
        headerFields: ["Content-Type": "application/json"])!
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      client?.urlProtocol(self, didLoad: data)
      client?.urlProtocolDidFinishLoading(self)
    } catch {
      client?.urlProtocol(self, didFailWithError: error)
    }
  }

  override func stopLoading() {}
}

// MARK: - Tests

final class APIClientTests: XCTestCase {
  private var cancellables = Set<AnyCancellable>()
  private var session: URLSession!
  private let json = Data(#"{"id": 1, "full_name": "apple/swift", "stargazers_count": 60000}"#.utf8)

  override func setUp() {
    super.setUp()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [StubURLProtocol.self]
    session = URLSession(configuration: configuration)
    StubURLProtocol.requests = []
  }

  override func tearDown() {
    session.invalidateAndCancel()
    cancellables = []
    super.tearDown()
  }

  /// The usual helper for tests of publishers.
  private func awaitPublisher<P: Publisher>(
    _ publisher: P, file: StaticString = #file, line: UInt = #line
  ) throws -> Result<P.Output, P.Failure> {
    var result: Result<P.Output, P.Failure>?
    let expectation = self.expectation(description: "Awaiting publisher")
    let cancellable = publisher.sink(
      receiveCompletion: { completion in
        if case .failure(let error) = completion { result = .failure(error) }
        expectation.fulfill()
      },
      receiveValue: { value in result = .success(value) })
    waitForExpectations(timeout: 30)
    cancellable.cancel()
    return try XCTUnwrap(result, "Awaited publisher did not produce any output", file: file, line: line)
  }

  func testSuccess() throws {
    StubURLProtocol.handler = { [json] _ in (200, json) }
    let result = try awaitPublisher(APIClient(session: session).repo(named: "swift"))
    XCTAssertEqual(try result.get(), Repo(id: 1, fullName: "apple/swift", starCount: 60000))
    XCTAssert(StubURLProtocol.requests.contains { $0.url?.absoluteString == "https://api.example.com/swift" })
  }

  func testBadStatus() throws {
    StubURLProtocol.handler = { _ in (404, Data()) }
    let result = try awaitPublisher(APIClient(session: session).repo(named: "swift"))
    XCTAssertEqual(result, .failure(.badStatus(404)))
  }

  func testInvalidJSON() throws {
    StubURLProtocol.handler = { _ in (200, Data("nope".utf8)) }
    let result = try awaitPublisher(APIClient(session: session).repo(named: "swift"))
    XCTAssertEqual(result, .failure(.decoding))
  }

  func testRetry() throws {
    StubURLProtocol.handler = { _ in throw URLError(.timedOut) }
    let publisher = session.dataTaskPublisher(for: URL(string: "https://example.com/slow")!).retry(2)
    let result = try awaitPublisher(publisher.map(\.data))
    // The request that another test has cancelled may start to load only now.
    XCTAssertEqual(StubURLProtocol.requests.filter { $0.url?.lastPathComponent == "slow" }.count, 3)
    guard case .failure(let error) = result else { return XCTFail("should have failed") }
    XCTAssertEqual(error.code, .timedOut)
  }

  func testAdaptiveLoader() throws {
    StubURLProtocol.handler = { request in
      if request.url?.lastPathComponent == "large.png" { throw URLError(.cannotFindHost) }
      return (200, Data([1, 2, 3]))
    }
    let url = URL(string: "https://example.com")!
    let result = try awaitPublisher(
      session.adaptiveLoader(
        regularURL: url.appendingPathComponent("large.png"), lowDataURL: url.appendingPathComponent("small.png")))
    XCTAssertEqual(try result.get(), Data([1, 2, 3]))
  }

  func testZippedRequests() {
    StubURLProtocol.handler = { [json] _ in (200, json) }
    let url = URL(string: "https://example.com/a")!
    let both = expectation(description: "both")
    Publishers.Zip(session.publisher(for: url, responseType: Repo.self), session.publisher(for: url))
      .replaceError(with: (Repo(id: 0, fullName: "", starCount: 0), Repo(id: 0, fullName: "", starCount: 0)))
      .sink { (first: Repo, second: Repo) in
        XCTAssertEqual(first, second)
        XCTAssertEqual(first.id, 1)
        both.fulfill()
      }
      .store(in: &cancellables)
    wait(for: [both], timeout: 30)
  }

  func testCancelledRequestDeliversNothing() {
    // The response waits until the request is about to be cancelled, because the session may load it on the queue that it needs for
    // that.
    let isCancelled = DispatchSemaphore(value: 0)
    StubURLProtocol.handler = { [json] _ in
      isCancelled.wait()
      return (200, json)
    }
    var cancelled = false
    let subscription = session.dataTaskPublisher(for: URL(string: "https://example.com/a")!)
      .handleEvents(receiveCancel: {
        cancelled = true
        isCancelled.signal()
      })
      .sink(receiveCompletion: { _ in XCTFail("completed") }, receiveValue: { _ in XCTFail("received") })
    subscription.cancel()
    XCTAssertTrue(cancelled)
  }
}
