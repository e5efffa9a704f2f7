// SteadySocketTestKit
