// SteadySocket
