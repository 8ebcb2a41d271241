public import Foundation
public import Streams

// Foundation's coders work with `encode(encoder:)` and `decode(type:decoder:)`. The conformances are here because the
// operators' module doesn't import Foundation.

extension JSONEncoder: TopLevelEncoder {}

extension JSONDecoder: TopLevelDecoder {}

extension PropertyListEncoder: TopLevelEncoder {}

extension PropertyListDecoder: TopLevelDecoder {}
