import Synchronization

/// Collects the ports of a board's parts until all of them listen.
final class Listening: Sendable {
  private let state: Mutex<(missing: Int, ports: Board.Ports)>
  private let onRunning: @Sendable (Board.Ports) -> Void

  init(count: Int, _ onRunning: @escaping @Sendable (Board.Ports) -> Void) {
    state = Mutex((count, Board.Ports()))
    self.onRunning = onRunning
  }

  func note<Port>(_ part: any WritableKeyPath<Board.Ports, Port> & Sendable, _ port: Port) {
    let complete = state.withLock { state -> Board.Ports? in
      state.ports[keyPath: part] = port
      state.missing -= 1
      return state.missing == 0 ? state.ports : nil
    }
    if let complete { onRunning(complete) }
  }
}
