internal import ConnectionCore
internal import SteadySocket
internal import SteadyTransport

#if os(Linux)
internal import CurlTransport
#endif

/// The command line of `steady connect`, and the settings it makes.
enum ConnectArguments {
    static let url = Positional("URL", "Where to connect: ws://host/path or wss://host/path.", ValueKind.text)
    static let header = Option(
        "header", short: "H", "'NAME: VALUE'", "Header field of the upgrade request.", ValueKind.text.secret)
    static let subprotocol = Option(
        "subprotocol", short: "s", "NAME", "Subprotocol to offer, the most wanted first.", .nonEmptyText)
    static let identity = Option(
        "identity", "NAME", "Who the session is for, when the URL does not say.", ValueKind.text.secret)
    static let caFile = Option(
        "ca-file", "FILE", "Trust the certificate authorities in this PEM file instead of the system's.", .nonEmptyText)
    static let proxy = Option(
        "proxy", "URL", "http://host:port or socks5://host:port; '' for none, whatever the environment says.",
        ValueKind.text.secret)
    static let configuration = Option(
        "config", "NAME", "How to wait and retry. Default standard.", ValueKind<Preset>.choice)
    static let noCompress = Flag("no-compress", "Do not offer permessage-deflate.")
    static let maximumMessage = Option(
        "max-message", "BYTES", "Largest message in either direction. Default 16777216.", .integer(1...(1 << 30)))
    static let pingInterval = Option(
        "ping-interval", "T", "From one ping to the next. Default 40 s.", .time(1...86_400))
    static let grace = Option(
        "grace", "T", "From SIGUSR1 to the close with 1001. Default 10 s.", .time(0...86_400))
    static let keepOpen = Flag("keep-open", "Stay when standard input ends.")
    static let linger = Option(
        "linger", "T", "When standard input ends, stay this long for answers. Default 0.", .time(0...86_400))
    static let sendTimeout = Option(
        "send-timeout", "T", "How long a line may wait for an open socket. Default 2m.", .time(0...86_400))
    static let once = Flag("once", "Do not reconnect: end when the socket ends or cannot be opened.")
    static let json = Flag("json", "Print one JSON object per line on standard output, and nothing else.")
    static let decisions = Flag("decisions", "Print at the end why every socket opened, closed or waited.")

    enum Preset: String, CaseIterable {
        case standard
        case stormSafe = "storm-safe"
    }

    static let spec = CommandSpec(
        name: "connect", summary: "Hold a WebSocket session: lines go out, messages come in.",
        details: details,
        hidesArguments: true,
        positionals: [url.required],
        options: [
            header.repeatable, subprotocol.repeatable, identity.once, caFile.once, proxy.once, configuration.once,
            noCompress.argument, maximumMessage.once, pingInterval.once, grace.once, keepOpen.argument, linger.once,
            sendTimeout.once, once.argument, json.argument, decisions.argument,
        ],
        exitCodes: [.success, .failure, .unavailable])

    private static let details = """
        Every line of standard input is sent as a text message. Every message that arrives is printed on
        standard output, a text as it is, a binary one as its length and first bytes in hex. Standard error
        says what the connection is doing, why, and what happens next.

        A line waits while no socket is open; one that could not be sent is named on standard error. A line
        is sent at most once, and counts as sent when it was handed to the network. Lines that are not UTF-8
        or longer than --max-message are named and skipped. At the end of the input everything is sent, then
        the socket closes with 1000; messages that arrive behind that are not printed (see --linger).

        Signals: SIGUSR1 sends the session to the background, SIGUSR2 brings it back. SIGINT, SIGTERM and
        SIGHUP close with 1001; a second one does not wait for the server. If standard output is closed, the
        socket closes with 1000.

        It ends with 0 when it was closed as asked (end of input, signal, standard output closed; with
        --once also when the server closed with 1000), with 1 when that happened but part of the input was
        not sent, and with 69 when the server refused for good (401, 403, 1008), when nothing opened before
        --send-timeout after the end of an empty input, or with --once when the socket ended in any other
        way.

        Keys of --json; "kind" and "at" (UTC) are always there, those in brackets where they are known:
          status   state (idle, waiting, opening, open, closing, held), text, [why], [seconds] until the next
                   attempt, [attempt]; open: [subprotocol], [extensions], [gap] in seconds since the last socket
          message  bytes, and text or binary (base64)
          sent     line, bytes
          closed   attempt, why, code (1005: no code, 1006: no Close frame), [reason], [outcome],
                   [retryAfter] in seconds, [error], [message]
          app      state (foreground, background)
          error    message, [line] of the input that was not sent, [error]
          decision seconds since the start, text
        """

    /// Makes the settings; reads the CA file, opens nothing else.
    static func settings(_ arguments: ParsedArguments) throws(UsageError) -> ConnectSettings {
        let request: ConnectionRequest
        do throws(ConnectionError) {
            request = try ConnectionRequest(
                arguments.value(url) ?? "", headers: headers(arguments.values(header)),
                subprotocols: arguments.values(subprotocol))
        } catch {
            throw fault(error.message)
        }
        var settings = ConnectSettings(request: request)
        settings.transport = try transport(arguments)
        settings.configuration = configuration(arguments)
        settings.identity = arguments.value(identity) ?? ""
        settings.json = arguments.has(json)
        settings.decisions = arguments.has(decisions)
        if arguments.has(once) { settings.stopAfterOne() }
        settings.keepOpen = arguments.has(keepOpen)
        settings.linger = arguments.value(linger) ?? settings.linger
        settings.sendTimeout = arguments.value(sendTimeout) ?? settings.sendTimeout
        if settings.keepOpen, arguments.value(linger) != nil {
            throw fault("--linger and --keep-open exclude each other; give one of them")
        }
        return settings
    }

    /// Splits header fields at their first colon. The values may hold secrets, so errors only count them.
    static func headers(_ texts: [String]) throws(ConnectionError) -> [HeaderField] {
        var fields: [HeaderField] = []
        for (index, text) in texts.enumerated() {
            guard let colon = text.firstIndex(of: ":") else {
                throw ConnectionError(
                    .invalidHeader, "--header number \(index + 1) has no colon; write it as 'Name: value', in quotes")
            }
            let value = text[text.index(after: colon)...]
            // Optional white space around a value is no part of it (RFC 9110 section 5.5).
            let start = value.firstIndex { $0 != " " && $0 != "\t" } ?? value.endIndex
            let end = value.lastIndex { $0 != " " && $0 != "\t" }.map(value.index(after:)) ?? value.endIndex
            fields.append(HeaderField(String(text[..<colon]), String(value[start..<max(start, end)])))
        }
        return fields
    }

    static func configuration(_ arguments: ParsedArguments) -> Configuration {
        var configuration: Configuration =
            switch arguments.value(configuration) ?? .standard {
            case .standard: .standard
            case .stormSafe: .stormSafe
            }
        // This process asks once, so there is nothing the quiet window could merge.
        configuration.askQuietWindow = .zero
        configuration.maximumMessageBytes = arguments.value(maximumMessage) ?? configuration.maximumMessageBytes
        configuration.keepalive.time = arguments.value(pingInterval) ?? configuration.keepalive.time
        configuration.backgroundGrace = arguments.value(grace) ?? configuration.backgroundGrace
        return configuration
    }

    private static func transport(_ arguments: ParsedArguments) throws(UsageError) -> (any Transport)? {
        #if os(Linux)
        do throws(ConnectionError) {
            return try CurlTransport(
                options: CurlTransport.Options(
                    caFile: arguments.value(caFile), proxy: arguments.value(proxy),
                    permessageDeflate: !arguments.has(noCompress)))
        } catch {
            throw fault(error.underlying.map { "\(error.message): \($0)" } ?? error.message)
        }
        #else
        if arguments.value(caFile) != nil || arguments.value(proxy) != nil || arguments.has(noCompress) {
            throw fault("--ca-file, --proxy and --no-compress work on Linux only; here the system decides")
        }
        return nil
        #endif
    }

    private static func fault(_ message: String) -> UsageError { UsageError(message, command: spec.name) }
}
