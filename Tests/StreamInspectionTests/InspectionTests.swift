import StreamInspection
import Streams
import Testing

@Suite struct InspectionTests {}
