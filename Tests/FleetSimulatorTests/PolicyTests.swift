import Testing

@testable import FleetSimulator

@Suite struct PolicyTests {
    /// The shortest and longest of many delays after this failure.
    private func range(_ policy: Policy, failure: Int) throws -> (low: Double, high: Double) {
        let published = try #require(policy.published)
        var generator = FleetGenerator(seed: 1, client: failure, purpose: .policy)
        let delays = (0..<2000).map { _ in published.delay(failure: failure, using: &generator) }
        return (try #require(delays.min()), try #require(delays.max()))
    }

    /// What the cited files say, by failure in a row.
    @Test(arguments: [
        (Policy.old, 1, 5.0, 5.0), (.old, 9, 5, 5),
        (.stream, 1, 0.25, 0.5), (.stream, 2, 0.25, 2.5), (.stream, 3, 2, 4.5), (.stream, 50, 25, 25),
        (.socketIO, 1, 0.5, 1.5), (.socketIO, 2, 1, 3), (.socketIO, 3, 2, 5), (.socketIO, 5, 5, 5),
        (.phoenix, 1, 0.01, 0.01), (.phoenix, 9, 2, 2), (.phoenix, 10, 5, 5),
        (.gRPC, 1, 0, 0), (.gRPC, 2, 0.8, 1.2), (.gRPC, 3, 1.28, 1.92), (.gRPC, 30, 96, 144),
        (.ably, 1, 0.1, 0.1), (.ably, 2, 12, 15), (.ably, 9, 24, 30),
        (.supabase, 1, 7, 7), (.supabase, 2, 14, 14), (.supabase, 4, 30, 30),
        (.slot, 1, 0, 4), (.slot, 9, 0, 60),
    ])
    func delaysAreWhatIsPublished(policy: Policy, failure: Int, low: Double, high: Double) throws {
        let range = try range(policy, failure: failure)
        #expect(range.low >= low - 1e-9 && range.high <= high + 1e-9)
        // The whole range is used.
        #expect(range.high - range.low >= 0.98 * (high - low) - 1e-9)
    }

    @Test func everyPolicyIsAMachineOrAModelAndSaysWhereItIsFrom() {
        for policy in Policy.allCases {
            #expect((policy.configuration == nil) != (policy.published == nil))
            #expect(policy.source.count > 20)
        }
    }
}
