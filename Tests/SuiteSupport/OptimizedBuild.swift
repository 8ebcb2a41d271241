package import Testing

extension Trait where Self == ConditionTrait {
  /// Enables a test only in release builds: in others, its many values would take minutes.
  package static var optimized: Self { .enabled(if: isOptimized, "only in a release build") }
}

private var isOptimized: Bool {
  #if DEBUG
    false
  #else
    true
  #endif
}
