public import Foundation
public import Streams

// Foundation's coders are what `encode(encoder:)` and `decode(type:decoder:)` are used with. They are here because the
// module of the operators does not import Foundation.

extension JSONEncoder: TopLevelEncoder {}

extension JSONDecoder: TopLevelDecoder {}

extension PropertyListEncoder: TopLevelEncoder {}

extension PropertyListDecoder: TopLevelDecoder {}
