// Visible in all files of this target.
@_exported import StreamAlgorithms
@_exported import SuiteSupport
