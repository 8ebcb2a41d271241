// A file that imports this module doesn't need another import of Streams. Replace `import CombineExt` with
// `import StreamsMigration`, and that with `import Streams` once the file no longer uses CombineExt's names.
@_exported public import StreamAlgorithms
@_exported public import Streams
