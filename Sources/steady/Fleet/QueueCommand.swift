internal import ConnectionCore
internal import FleetSimulator

/// `steady fleet queue`: how fast the bare event queue is on this machine, on one thread.
enum QueueCommand {
    static let events = Option(
        "events", "N", "Events to move. Default 20000000.", .integer(1...10_000_000_000))
    static let pending = Option(
        "pending", "N", "Events that wait at a time. Default 1000000.", .integer(1...50_000_000))
    private static let json = Flag("json", "Print one JSON object instead of text.")

    static let command = Command(
        spec: CommandSpec(
            name: "fleet queue", summary: "Measure the simulator's bare event queue.",
            details: """
                Moves events through the queue with no client behind them, on one thread: what the cost of the other
                fleet commands is to be compared with. --json prints `events`, `wallSeconds` and `eventsPerSecond`.
                """,
            options: [events.once, pending.once, FleetArguments.seed.once, json.argument]),
        run: { arguments throws(UsageError) in
            let count = arguments.value(events) ?? 20_000_000
            let start = ContinuousClock.now
            let sum = BareQueue.move(
                count, pending: arguments.value(pending) ?? 1_000_000, seed: FleetArguments.seed(arguments))
            let seconds = (ContinuousClock.now - start).inSeconds
            let rate = Double(count) / max(seconds, 1e-9)
            if arguments.has(json) {
                Output.line(
                    JSONText.write(
                        .object([
                            ("events", .whole(count)), ("checksum", .text(String(sum))),
                            ("wallSeconds", .number(seconds)),
                            ("eventsPerSecond", .number(rate, decimals: 0)),
                        ])))
            } else {
                Output.line("\(grouped(count)) events in \(number(seconds, 2)) s: \(grouped(Int(rate))) per second.")
            }
            return .success
        })
}
