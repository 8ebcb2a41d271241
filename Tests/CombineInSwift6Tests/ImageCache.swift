import Combine
import Foundation
import Testing

struct Image: Sendable, Equatable {
  var name: String
  var data = Data()
}

actor ImageCache {
  private var images: [String: Image] = [:]
  private let load: @Sendable (String) async throws -> Image
  private(set) var loads = 0

  init(load: @escaping @Sendable (String) async throws -> Image) {
    self.load = load
  }

  func image(named name: String) async throws -> Image {
    if let image = images[name] { return image }
    loads += 1
    let image = try await load(name)
    images[name] = image
    return image
  }

  nonisolated func publisher(named name: String) -> AnyPublisher<Image, any Error> {
    Deferred { Future { try await self.image(named: name) } }
      .eraseToAnyPublisher()
  }
}

@MainActor
final class Gallery: ObservableObject {
  @Published private(set) var images: [Image] = []
  @Published private(set) var message: String?

  private let cache: ImageCache
  private var loading: (any Cancellable)?

  init(cache: ImageCache) {
    self.cache = cache
  }

  func show(_ names: [String]) {
    loading = Publishers.MergeMany(names.map { cache.publisher(named: $0) })
      .collect()
      .receive(on: DispatchQueue.main)
      .map { $0.sorted { $0.name < $1.name } }
      .sink(
        receiveCompletion: { [weak self] in
          if case .failure(let error) = $0 { self?.message = "\(error)" }
        },
        receiveValue: { [weak self] in self?.images = $0 })
  }
}

@MainActor
struct GalleryTests {
  enum LoadError: Error {
    case missing(String)
  }

  private func makeGallery() -> (Gallery, ImageCache) {
    let cache = ImageCache { name in
      if name == "x" { throw LoadError.missing(name) }
      return Image(name: name)
    }
    return (Gallery(cache: cache), cache)
  }

  @Test func `all images arrive together`() async {
    let (gallery, cache) = makeGallery()
    gallery.show(["b", "a"])
    for await images in gallery.$images.values where !images.isEmpty {
      #expect(images.map(\.name) == ["a", "b"])
      break
    }
    #expect(await cache.loads == 2)
  }

  @Test func `a missing image leaves a message`() async {
    let (gallery, _) = makeGallery()
    gallery.show(["a", "x"])
    for await message in gallery.$message.values {
      guard let message else { continue }
      #expect(message == #"missing("x")"#)
      break
    }
    #expect(gallery.images.isEmpty)
  }
}
