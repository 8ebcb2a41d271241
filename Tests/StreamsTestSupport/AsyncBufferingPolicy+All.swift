package import StreamAlgorithms

extension AsyncBufferingPolicy {
  package static let all: [Self] = [.unbuffered, .bounded(1), .bounded(4), .unbounded, .oldest(2), .newest(2)]
}
