// A file that imports this module needs no other import of Streams: `import CombineExt` becomes `import StreamsMigration`, and
// `import Streams` once the names of the other library are gone.
@_exported public import StreamAlgorithms
@_exported public import Streams
