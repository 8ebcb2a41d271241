internal import Dispatch

protocol LabeledQueue {
  var label: String { get }
}

extension DispatchQueue: LabeledQueue {}
