/// The branches of a broadcast in the order in which they joined, with gaps where some have left.
///
/// It is used by the thread with the broadcast's turn, or under the broadcast's lock while no thread has the turn. It owns
/// raw memory instead of an array, because the sender reads it without retaining it. It retains its members.
@usableFromInline @_fixed_layout
package final class BranchList<Output, Failure: Error>: Receiver<BranchListChange<Output, Failure>, Failure> {
  @usableFromInline package typealias Member = Unmanaged<Branch<Output, Failure>>

  // Exclusive: accessed as the comment on the class says.
  @usableFromInline @exclusivity(unchecked) package var members: UnsafeMutablePointer<Member?>?
  @usableFromInline @exclusivity(unchecked) package var count = 0
  @usableFromInline @exclusivity(unchecked) package var capacity = 0
  @usableFromInline @exclusivity(unchecked) package var gaps = 0

  @inlinable
  package init() {
    super.init(
      receiveValue: {
        let list = unsafeDowncast($0, to: BranchList.self)
        switch $1 {
        case .value(let value): list.send(value)
        case .joins(let branch): list.append(branch)
        case .leaves(let branch):
          list.remove(branch)
          branch.takeTurnBack()
        }
        return .none
      },
      receiveEvent: {
        if case .completion(let completion) = $1 { unsafeDowncast($0, to: BranchList.self).complete(completion) }
      })
  }

  deinit {
    for position in 0..<count { members![position]?.release() }
    members?.deallocate()
  }

  @inlinable @inline(__always)
  package func send(_ value: Output) {
    guard var member = members else { return }
    let limit = member + count
    while member != limit {
      member.pointee?._withUnsafeGuaranteedRef { $0.receive(value) }
      member += 1
    }
  }

  /// Appends a branch.
  ///
  /// - Complexity: Amortized O(1); O(*n*) when the memory grows.
  @inlinable @inline(never)
  package func append(_ branch: Branch<Output, Failure>) {
    if count == capacity { grow() }
    branch.position = UInt32(count)
    members![count] = .passRetained(branch)
    count += 1
  }

  @usableFromInline
  package func grow() {
    let larger = UnsafeMutablePointer<Member?>.allocate(capacity: Swift.max(1, capacity * 2))
    if let members {
      larger.moveInitialize(from: members, count: count)
      members.deallocate()
    }
    members = larger
    capacity = Swift.max(1, capacity * 2)
  }

  /// Removes a branch, and leaves a gap in its position.
  ///
  /// - Complexity: Amortized O(1); O(*n*) when more than half of the positions are gaps, which are then closed.
  @inlinable @inline(never)
  package func remove(_ branch: Branch<Output, Failure>) {
    let position = Int(branch.position)
    members![position]!.release()
    members![position] = nil
    gaps += 1
    if position == count - 1 {
      count -= 1
      gaps -= 1
    } else if gaps > 8, gaps * 2 > count {
      closeGaps()
    }
  }

  @usableFromInline
  package func closeGaps() {
    var kept = 0
    for position in 0..<count {
      guard let member = members![position] else { continue }
      member._withUnsafeGuaranteedRef { $0.position = UInt32(kept) }
      members![kept] = member
      kept += 1
    }
    count = kept
    gaps = 0
  }

  /// Ends all branches.
  ///
  /// - Complexity: O(*n*), where *n* is the number of positions in the list.
  @usableFromInline
  package func complete(_ completion: Subscribers.Completion<Failure>) {
    for position in 0..<count {
      guard let member = members![position] else { continue }
      members![position] = nil
      let branch = member.takeRetainedValue()
      branch.transition(.completion) { $0.sourceEnded(0, completion, &$1) }
    }
  }
}
