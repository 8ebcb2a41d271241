// On platforms without Combine, `import Combine` imports Streams. On Apple's, this file belongs to a target of another name and is
// empty, because a module of this name would hide the system's.
#if !canImport(Darwin)
  @_exported public import StreamFoundation
#endif
