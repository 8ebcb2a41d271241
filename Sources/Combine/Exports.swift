// On platforms without Combine, `import Combine` imports Streams. On Apple platforms, this file belongs to a target with
// another name and is empty, because a module with this name would hide the system's.
//
// Only Combine's names are exported, so no other name of Streams conflicts with one that a program imports from elsewhere.
// Members of these types come with them, and members of `DispatchQueue` and of Foundation's types come with the modules that
// declare them.
#if !canImport(Darwin)
  // Where `URLSession` isn't part of Foundation, files written for Apple platforms can still find it.
  #if canImport(FoundationNetworking)
    @_exported public import FoundationNetworking
  #endif
  @_exported public import protocol StreamFoundation._FoundationMembers
  @_exported public import struct StreamSchedulers.ImmediateTime
  @_exported public import class Streams.AnyCancellable
  @_exported public import struct Streams.AnyPublisher
  @_exported public import struct Streams.AnySubscriber
  @_exported public import struct Streams.AsyncPublisher
  @_exported public import typealias Streams.AsyncThrowingPublisher
  @_exported public import protocol Streams.Cancellable
  @_exported public import struct Streams.CombineIdentifier
  @_exported public import protocol Streams.ConnectablePublisher
  @_exported public import class Streams.CurrentValueSubject
  @_exported public import protocol Streams.CustomCombineIdentifierConvertible
  @_exported public import struct Streams.Deferred
  @_exported public import struct Streams.Empty
  @_exported public import struct Streams.Fail
  @_exported public import class Streams.Future
  @_exported public import struct Streams.Just
  @_exported public import protocol Streams.ObservableObject
  @_exported public import class Streams.ObservableObjectPublisher
  @_exported public import class Streams.PassthroughSubject
  @_exported public import struct Streams.Published
  @_exported public import protocol Streams.Publisher
  @_exported public import enum Streams.Publishers
  @_exported public import struct Streams.Record
  @_exported public import protocol Streams.Scheduler
  @_exported public import protocol Streams.SchedulerTimeIntervalConvertible
  @_exported public import protocol Streams.Subject
  @_exported public import protocol Streams.Subscriber
  @_exported public import enum Streams.Subscribers
  @_exported public import protocol Streams.Subscription
  @_exported public import enum Streams.Subscriptions
  @_exported public import protocol Streams.TopLevelDecoder
  @_exported public import protocol Streams.TopLevelEncoder
#endif
