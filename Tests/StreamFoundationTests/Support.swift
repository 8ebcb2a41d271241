// What tests of several targets share; visible in all files of this one.
@_exported import SuiteSupport
