internal import Dispatch

/// A scheduler that has a label.
protocol LabeledQueue {
  var label: String { get }
}

extension DispatchQueue: LabeledQueue {}
