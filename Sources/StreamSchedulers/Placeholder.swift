public import Streams
