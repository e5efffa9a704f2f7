// What one event costs in the connection machine: CPU time and heap allocations of the calling thread.
//
// usage: MachineBench [EVENTS]     events measured per scenario, default 1,000,000
// Prints one JSON object per scenario. Exit code: 0, or 2 if allocations cannot be counted here.

import CAllocationCounter

guard allocation_count() != .max else { fail("allocations can be counted with glibc only") }

/// Proves that the counter sees what Swift allocates; without it, "0 allocations" would mean nothing.
let before = allocation_count()
withExtendedLifetime(Probe()) {}
guard allocation_count() > before else { fail("the allocation counter does not see Swift's allocations") }

let events = CommandLine.arguments.dropFirst().first.map { Int($0) ?? 0 } ?? 1_000_000
guard events > 0 else { fail("wrong arguments; usage: MachineBench [EVENTS]") }

for scenario in Scenario.allCases {
    var bench = Bench()
    let measured = bench.measure(scenario, events: events)
    print(
        """
        {"scenario":"\(scenario.rawValue)","events":\(measured.events),\
        "nanosecondsPerEvent":\(measured.nanosecondsPerEvent),"allocations":\(measured.allocations)}
        """)
}

/// The empty object of the self-check. Its deinit has an effect, so that it cannot be optimised away.
final class Probe {
    nonisolated(unsafe) static var lived = 0
    deinit { Probe.lived += 1 }
}
