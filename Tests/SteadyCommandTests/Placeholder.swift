// SteadyCommand
