// A file that imports this module needs no other import of Streams: `import CombineExt` becomes `import StreamsMigration`, and
// `import Streams` once the file no longer uses the other library's names.
@_exported public import StreamAlgorithms
@_exported public import Streams
