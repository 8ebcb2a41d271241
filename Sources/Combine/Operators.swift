// swift-format-ignore-file
// It would remove the spaces before operators, without which an operator cannot be imported.

// The operators of `Subscribers.Demand`, which do not come with the type.
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
