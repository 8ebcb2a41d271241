// swift-format-ignore-file
// The formatter would remove the spaces before operators, without which an operator can't be imported.

// The operators of `Subscribers.Demand`, which don't come with the type.
#if !canImport(Darwin)
  @_exported public import func Streams . !=
  @_exported public import func Streams . *
  @_exported public import func Streams . *=
  @_exported public import func Streams . +
  @_exported public import func Streams . +=
  @_exported public import func Streams . -
  @_exported public import func Streams . -=
  @_exported public import func Streams . <
  @_exported public import func Streams . <=
  @_exported public import func Streams . ==
  @_exported public import func Streams . >
  @_exported public import func Streams . >=
#endif
