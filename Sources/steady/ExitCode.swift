/// How `steady` ends. The numbers above 63 follow BSD `sysexits`.
enum ExitCode: Int32, CaseIterable, Sendable {
    case success = 0
    case failure = 1
    case usage = 64
    case unavailable = 69
    case cannotCreate = 73
    case ioError = 74

    /// The meaning, for `--help`.
    var meaning: String {
        switch self {
        case .success: "everything went as asked"
        case .failure: "it was tried and failed; standard error says why"
        case .usage: "the command line is wrong; nothing was done"
        case .unavailable: "an address or service that is needed is not available"
        case .cannotCreate: "an output file cannot be created"
        case .ioError: "reading or writing a file failed"
        }
    }
}
