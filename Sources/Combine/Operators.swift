// swift-format-ignore-file
// The formatter would remove the spaces before operators, but the imports don't compile without them.

// The operators of `Subscribers.Demand`. Importing the type doesn't import them.
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
