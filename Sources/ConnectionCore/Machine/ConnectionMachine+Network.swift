extension ConnectionMachine {
    mutating func pathChanged(
        to path: NetworkPath, at now: Instant, using generator: inout some RandomNumberGenerator,
        _ actions: inout Actions
    ) {
        let before = network
        guard path != before else { return }
        network = path
        guard path != .offline, before != .unknown else { return }
        probe(at: now, &actions)
        guard before == .offline, asked?.needsNetwork ?? true else { return }
        if rules.configuration.startOver.afterNetworkReturn { failures = 0 }
        let delay = ConnectionPolicy.draw(from: rules.configuration.networkReturnDelay, using: &generator)
        (dueAt, dueReason) = (now.advanced(byNanoseconds: delay), .networkReturn)
    }
}
