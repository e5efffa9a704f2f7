internal import ConnectionCore
internal import LedgerServer

/// The command line of `steady serve`, and what it makes of the server.
enum ServeArguments {
    static let port = Option("port", short: "p", "N", "Port; 0 takes a free one. Default 9001.", .integer(0...65535))
    static let host = Option("host", "ADDRESS", "Numeric address to listen on. Default 127.0.0.1.", .nonEmptyText)
    static let ledger = Option(
        "ledger", "FILE", "Append one JSON line per socket to FILE, as the socket closes.", .nonEmptyText)
    static let queryItem = Option(
        "query-item", "NAME", "Record this query item; no other part of a query is ever kept.", .nonEmptyText)
    static let maximumMessage = Option(
        "max-message", "BYTES", "Largest message accepted; 1009 beyond. Default 16777216.", .integer(1...(1 << 30)))
    static let json = Flag("json", "Print one JSON object per line instead of text.")

    static let noEcho = Flag("no-echo", "Do not send messages back.")
    static let hello = Option("hello", "TEXT", "Send TEXT to every socket as it opens.", .text)
    static let refuse = Option("refuse", "STATUS", "Refuse every upgrade with this HTTP status.", .integer(300...599))
    static let retryAfter = Option(
        "retry-after", "SECONDS", "Retry-After of the refusals of --refuse and --accept-rate.", .integer(0...86_400))
    static let acceptRate = Option(
        "accept-rate", "N", "Accept N upgrades per second; refuse more with 503.", .number(0.01...1_000_000))
    static let acceptExcess = Option(
        "accept-excess", "WHAT", "What happens to upgrades above --accept-rate. Default refuse.",
        ValueKind<Excess>.choice)
    static let closeAfter = Option("close-after", "T", "Close every socket T after it opened.", .time(0...86_400))
    static let closeAfterMessages = Option(
        "close-after-messages", "N", "Close every socket with its Nth message.", .integer(1...1_000_000_000))
    static let closeCode = Option(
        "close-code", "CODE", "Code of these closes; 1005 sends a Close frame without one. Default 1000.", closeCodes)
    static let closeReason = Option(
        "close-reason", "TEXT", "Reason of these closes.",
        ValueKind("text of at most 123 bytes") { $0.utf8.count <= 123 ? $0 : nil })
    static let dropAfter = Option(
        "drop-after", "T", "Drop TCP T after the socket opened, without a Close frame.", .time(0...86_400))
    static let silentAfter = Option(
        "silent-after", "T", "Stop answering T after the socket opened: no reads, no Pongs, no Close.",
        .time(0...86_400))

    enum Excess: String, CaseIterable { case refuse, wait }

    static let spec = CommandSpec(
        name: "serve", summary: "Run a WebSocket server that records why each socket closed.",
        details: """
            Echoes messages. SIGINT or SIGTERM closes every socket with 1001, completes the ledger and prints totals;
            a second one drops what is left. A ledger line with a code of 1005 means a Close frame without a code,
            1006 that no Close frame came.
            """,
        options: [
            port.once, host.once, ledger.once, queryItem.repeatable, maximumMessage.once, json.argument,
            noEcho.argument, hello.once, refuse.once, retryAfter.once, acceptRate.once, acceptExcess.once,
            closeAfter.once, closeAfterMessages.once, closeCode.once, closeReason.once, dropAfter.once,
            silentAfter.once,
        ],
        exitCodes: [.success, .unavailable, .cannotCreate, .ioError])

    private static let closeCodes = ValueKind<CloseCode>(
        "a code that may be sent: 1000-1003, 1007-1014, 3000-4999, or 1005 for none (for 1006 use --drop-after)",
        hint: "1000-1003, 1005, 1007-1014, 3000-4999"
    ) { text in
        UInt16(text).map(CloseCode.init(rawValue:)).flatMap { $0.mayBeSent || $0 == .noStatusReceived ? $0 : nil }
    }

    static func options(_ arguments: ParsedArguments) -> ServerOptions {
        var options = ServerOptions()
        options.host = arguments.value(host) ?? options.host
        options.queryItems = Set(arguments.values(queryItem))
        options.maximumMessageBytes = arguments.value(maximumMessage) ?? options.maximumMessageBytes
        // A server may run for months; what is needed of the past is in the statistics and in the file.
        options.keepsEntries = false
        return options
    }

    static func behaviour(_ arguments: ParsedArguments) throws(UsageError) -> Behaviour {
        try checkCombinations(arguments)
        var behaviour = Behaviour()
        let retryAfter = arguments.value(retryAfter).map(String.init)
        behaviour.echoes = !arguments.has(noEcho)
        behaviour.hello = arguments.value(hello)
        behaviour.refusal = arguments.value(refuse).map { Refusal($0, retryAfter: retryAfter) }
        if let rate = arguments.value(acceptRate) {
            let excess: AcceptRate.Excess =
                switch arguments.value(acceptExcess) ?? .refuse {
                case .refuse: .refuse(Refusal(503, retryAfter: retryAfter))
                case .wait: .wait
                }
            behaviour.acceptRate = AcceptRate(perSecond: rate, excess: excess)
        }
        let code = arguments.value(closeCode) ?? .normalClosure
        let close: Fate =
            code == .noStatusReceived
            ? .closeWithoutCode : .close(code, reason: arguments.value(closeReason) ?? "")
        behaviour.messageFate = arguments.value(closeAfterMessages).map { .init(messages: $0, close) }
        if let time = arguments.value(closeAfter) { behaviour.timedFates.append(.init(after: time, close)) }
        if let time = arguments.value(dropAfter) { behaviour.timedFates.append(.init(after: time, .drop)) }
        if let time = arguments.value(silentAfter) { behaviour.timedFates.append(.init(after: time, .silence)) }
        return behaviour
    }

    private static func checkCombinations(_ arguments: ParsedArguments) throws(UsageError) {
        func fault(_ message: String) -> UsageError { UsageError(message, command: spec.name) }
        let closes = arguments.value(closeAfter) != nil || arguments.value(closeAfterMessages) != nil
        if arguments.value(closeCode) != nil, !closes {
            throw fault("--close-code needs --close-after or --close-after-messages")
        }
        if arguments.value(closeReason) != nil, !closes {
            throw fault("--close-reason needs --close-after or --close-after-messages")
        }
        if arguments.value(closeReason) != nil, arguments.value(closeCode) == .noStatusReceived {
            throw fault("--close-reason needs a code; --close-code 1005 sends none")
        }
        if arguments.value(acceptExcess) != nil, arguments.value(acceptRate) == nil {
            throw fault("--accept-excess needs --accept-rate")
        }
        let refuses =
            arguments.value(refuse) != nil
            || (arguments.value(acceptRate) != nil && arguments.value(acceptExcess) != .wait)
        if arguments.value(retryAfter) != nil, !refuses {
            throw fault("--retry-after needs --refuse, or --accept-rate that refuses")
        }
    }
}
