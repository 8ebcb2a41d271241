public import StreamAlgorithms

/// The retry policy of StreamAlgorithms.
///
/// GRPCCore has a type `RetryPolicy` too. In a file that imports both modules, use this name.
public typealias StreamRetryPolicy = StreamAlgorithms.RetryPolicy
