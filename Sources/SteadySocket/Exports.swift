// One import is enough for the people who use the library: the vocabulary and the transport contract come with it.
@_exported public import ConnectionCore
@_exported public import SteadyTransport
