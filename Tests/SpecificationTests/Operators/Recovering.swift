import StreamAlgorithms
import Streams

struct Catch: NestingOperator {
  var isSuccession: Bool { true }
  var inner: Chain
  let tries: Bool
  func publisher(of source: some Source, in world: World) -> any Source {
    let (token, handler) = (world.token(), inner)
    return tries
      ? source.tryCatch { [world = world.inner] _ in
        _ = token.touch(0)
        return handler.publisher(in: world())
      }.mapError { $0 as! Failed }
      : source.catch { [world = world.inner] _ in
        _ = token.touch(0)
        return handler.publisher(in: world())
      }
  }

  func start(_ context: Context) -> [Effect] { beginAtOnce() }

  func request(_ demand: Demand, _ context: Context) -> [Effect] {
    [.request(demand, from: context.running.first ?? 0)]
  }

  func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    upstream == 0 && ending == .failed
      ? [.request(context.demand, from: 1), .subscribeInner(inner, as: 1)] : [.end(ending)]
  }
}

struct ReplaceError: Operator {
  var isSuccession: Bool { true }
  let with: Int
  func publisher(of source: some Source, in world: World) -> any Source {
    source.replaceError(with: with).setFailureType(to: Failed.self)
  }

  func start(_ context: Context) -> [Effect] { beginAtOnce() }

  func end(_ ending: Ending) -> [Effect] { ending == .failed ? [.finish(with: with)] : [.end(.finished)] }
}

struct Retry: Operator {
  var isSuccession: Bool { true }
  let count: Int
  var attempts = 0
  func publisher(of source: some Source, in world: World) -> any Source { source.retry(count) }

  func start(_ context: Context) -> [Effect] { beginAtOnce() }

  mutating func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    if ending == .finished || attempts == count { return [.end(ending)] }
    attempts += 1
    return [.request(context.demand, from: 0), .subscribe(source: 0, as: 0)]
  }
}

struct Repeat: Operator {
  var isSuccession: Bool { true }
  let count: Int
  var attempts = 1
  func publisher(of source: some Source, in world: World) -> any Source { source.repeat(count) }

  func start(_ context: Context) -> [Effect] {
    count == 0 ? [.end(.finished)] : beginAtOnce()
  }

  mutating func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    if ending == .failed || attempts == count { return [.end(ending)] }
    attempts += 1
    return [.request(context.demand, from: 0), .subscribe(source: 0, as: 0)]
  }
}

struct RetryAfterDelay: Operator {
  var isSuccession: Bool { true }
  let count: Int
  let delay: Int
  let clock: Clock
  var attempts = 0
  func publisher(of source: some Source, in world: World) -> any Source {
    source.retry(.delay(.seconds(delay), maxRetries: count), scheduler: world.scheduler(clock))
  }

  func start(_ context: Context) -> [Effect] { beginAtOnce() }

  mutating func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    if ending == .finished || attempts == count { return [.end(ending)] }
    attempts += 1
    return [.arm(0, at: context.now + delay)]
  }

  func request(_ demand: Demand, _ context: Context) -> [Effect] {
    context.running.isEmpty ? [] : [.request(demand, from: 0)]
  }

  func fire(_ action: Int, _ context: Context) -> [Effect] {
    [.request(context.demand, from: 0), .subscribe(source: 0, as: 0)]
  }
}

struct IgnoreFailure: Operator {
  func publisher(of source: some Source, in world: World) -> any Source {
    source.ignoreFailure().setFailureType(to: Failed.self)
  }

  func end(_ ending: Ending) -> [Effect] { [.end(.finished)] }
}

/// Retries a number of times, with a trigger that lets so many failures pass.
struct RetryWhen: Operator {
  var isSuccession: Bool { true }
  let count: Int
  var attempts = 0
  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    return source.retry { [count] failures in failures.prefix(token.touch(count)) }
  }

  /// The trigger finishes with the last failure that it lets pass, and the stream when another attempt fails.
  func start(_ context: Context) -> [Effect] { beginAtOnce() }

  mutating func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    if ending == .finished { return [.end(.finished)] }
    if attempts == count { return [.end(.finished)] }
    attempts += 1
    return [.request(context.demand, from: 0), .subscribe(source: 0, as: 0)]
  }
}
