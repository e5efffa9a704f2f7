internal import ConnectionCore
internal import Dispatch
internal import SteadySocket
internal import SteadyTransport
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// One run of `steady connect`: lines and signals go in, records come out, until something ends it.
struct ConnectSession: Sendable {
    /// Why the session ends. The first one counts.
    private enum End: Sendable {
        case inputEnded
        case toldToExit
        case outputGone
        /// No attempt follows this ending: the server refused, or with `--once` the only socket ended.
        case stopped(DisconnectReason)
        case neverOpened
    }

    /// What moves a session on while it ends.
    private enum Progress: Sendable {
        case ending(End)
        case closed
        /// A second signal: the server is not waited for any more.
        case hurried
    }

    private let settings: ConnectSettings
    private let output: ConnectOutput
    private let lifecycle = ManualLifecycle()
    private let unsent = Locked(0)
    private let printed = Locked(0)
    private let progress: AsyncStream<Progress>
    private let report: AsyncStream<Progress>.Continuation

    init(_ settings: ConnectSettings, output: ConnectOutput) {
        self.settings = settings
        self.output = output
        (progress, report) = AsyncStream.makeStream()
    }

    /// Runs to the end of the session. Called once.
    func run(_ lines: InputLines, signals: AsyncStream<Int32>) async -> ExitCode {
        let signalling = Task { await obey(signals) }
        defer { signalling.cancel() }
        let outcome = await hold(lines)
        // The handle is gone, so its streams end as soon as what arrived is printed, however slow its reader is; one that
        // takes nothing for two seconds is stuck.
        _ = await finishes(within: .seconds(2), progress: { [printed] in printed.withLock { $0 } }) {
            for task in outcome.tasks { await task.value }
            for record in outcome.last { await put(record) }
        }
        return outcome.code == .success && unsent.withLock { $0 > 0 } ? .failure : outcome.code
    }

    /// Owns the connection from the ask to the end of the closing handshake.
    /// Returns what is still printing and what is left to print.
    private func hold(
        _ lines: InputLines
    ) async -> (code: ExitCode, tasks: [Task<Void, Never>], last: [ConnectRecord]) {
        var options = Options()
        options.queue = DispatchQueue(label: "steady.connect")
        options.transport = settings.transport
        options.lifecycle = .custom(lifecycle)
        options.decisionLogCapacity = settings.decisions ? 10_000 : 0
        let socket = SteadySocket(configuration: settings.configuration, options: options)
        let (events, messages) = (socket.events, socket.messages)
        let watching = Task { await watch(events) }
        let reading = Task { for await message in messages { await put(.message(message)) } }
        socket.connect(to: Channel(settings.request, identity: settings.identity))
        // Weak, because this task may wait for input for ever.
        let sending = Task { [weak socket] in await send(lines) { [weak socket] in socket } }

        var steps = progress.makeAsyncIterator()
        var code = ExitCode.success
        var last: [ConnectRecord] = []
        if case .ending(let end)? = await steps.next() {
            let why: String?
            (code, why) = close(socket, because: end)
            if let why { last.append(.failure(why)) }
        }
        sending.cancel()
        let closing = Task { [statuses = socket.statuses, report] in
            for await status in statuses where status == .idle { break }
            report.yield(.closed)
        }
        let alarm = Task { [report] in
            // The connection has its own bound; this one is for our bugs.
            try? await Task.sleep(for: settings.configuration.timeouts.closingHandshake + .seconds(3))
            report.yield(.closed)
        }
        defer {
            closing.cancel()
            alarm.cancel()
        }
        waiting: while let step = await steps.next() {
            switch step {
            case .ending: continue
            case .closed: break waiting
            case .hurried:
                code = .failure
                break waiting
            }
        }
        if settings.decisions { last += socket.decisions.map(ConnectRecord.decision) }
        return (code, [sending, watching, reading], last)
    }

    /// Starts the close that fits the cause; returns what to say about it at the end.
    private func close(_ socket: SteadySocket, because end: End) -> (ExitCode, String?) {
        let status = socket.status
        if case .toldToExit = end { socket.shutDown() } else { socket.disconnect() }
        switch end {
        case .inputEnded, .outputGone, .toldToExit: return (.success, nil)
        case .stopped(.closedByPeer(.normalClosure)) where settings.once: return (.success, nil)
        case .stopped(let reason):
            let advice = settings.once ? "" : "; check the credentials and the URL, then start again"
            return (.unavailable, "no further attempt after \(reason)\(advice)")
        case .neverOpened:
            return (
                .unavailable, "no socket opened in the time of --send-timeout; the connection was \(status)"
            )
        }
    }

    // MARK: What goes on meanwhile

    private func watch(_ events: AsyncStream<SocketEvent>) async {
        for await event in events {
            switch event {
            // The event of the opening follows and says more.
            case .statusChanged(.open): break
            case .statusChanged(let status):
                await put(.status(status))
                if case .held(.refused(let reason)) = status { report.yield(.ending(.stopped(reason))) }
            case .opened(let attempt, let result, let gap): await put(.opened(attempt, result, gap: gap))
            case .closed(let attempt, let close): await put(.closed(attempt, close))
            }
        }
    }

    private func obey(_ signals: AsyncStream<Int32>) async {
        var isTold = false
        for await signal in signals {
            switch signal {
            case SIGUSR1: await move(to: .background)
            case SIGUSR2: await move(to: .foreground)
            default:
                report.yield(isTold ? .hurried : .ending(.toldToExit))
                isTold = true
            }
        }
    }

    private func move(to state: AppState) async {
        await put(.app(state))
        lifecycle.state = state
    }

    /// Sends line by line: the next one is read when this one was handed to the network, or could not be.
    private func send(_ lines: InputLines, over socket: @Sendable () -> SteadySocket?) async {
        var isUnused = true
        for await line in lines {
            isUnused = false
            switch line.content {
            case .text(let text): await send(text, line: line.number, over: socket())
            case .invalidUTF8(let offset):
                await reject(line, "byte \(offset + 1) is not valid UTF-8; text messages have to be")
            case .tooLong(let bytes):
                let limit = settings.configuration.maximumMessageBytes
                await reject(line, "it has \(bytes) bytes; the limit is \(limit) (--max-message)")
            case .unreadable(let reason): await reject(line, "standard input cannot be read: \(reason)")
            }
        }
        guard !Task.isCancelled, !settings.keepOpen else { return }
        if isUnused, let statuses = socket()?.statuses {
            // Nothing to send, so this is about whether it opens.
            let opened = await finishes(within: settings.sendTimeout) {
                for await status in statuses { if case .open = status { break } }
            }
            guard opened else {
                report.yield(.ending(.neverOpened))
                return
            }
        }
        if settings.linger > .zero { try? await Task.sleep(for: settings.linger) }
        report.yield(.ending(.inputEnded))
    }

    private func send(_ text: String, line: Int, over socket: SteadySocket?) async {
        do throws(ConnectionError) {
            guard let socket else { throw ConnectionError(.closed, "the session has ended") }
            try await socket.send(.text(text), whenOpen: settings.sendTimeout)
            await put(.sent(line: line, bytes: text.utf8.count))
        } catch {
            unsent.withLock { $0 += 1 }
            await put(.unsent(line: line, why: error.message, code: error.code))
        }
    }

    private func reject(_ line: InputLine, _ why: String) async {
        unsent.withLock { $0 += 1 }
        await put(.unsent(line: line.number, why: why, code: nil))
    }

    private func put(_ record: ConnectRecord) async {
        if await !output.put(record) { report.yield(.ending(.outputGone)) }
        printed.withLock { $0 += 1 }
    }
}

/// Whether the work ended within the limit, measured anew whenever `progress` has changed. Work that did not is cancelled
/// and not waited for.
private func finishes(
    within limit: Duration, progress: @escaping @Sendable () -> Int = { 0 },
    _ work: @escaping @Sendable () async -> Void
) async -> Bool {
    let (results, result) = AsyncStream<Bool>.makeStream()
    let working = Task {
        await work()
        result.yield(true)
    }
    let alarm = Task {
        var seen = progress()
        while true {
            try? await Task.sleep(for: limit)
            guard !Task.isCancelled, progress() != seen else { break }
            seen = progress()
        }
        result.yield(false)
    }
    defer {
        working.cancel()
        alarm.cancel()
    }
    var iterator = results.makeAsyncIterator()
    return await iterator.next() ?? false
}
