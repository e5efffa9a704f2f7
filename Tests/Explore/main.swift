import ConnectionModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

// Explores the connection machine: random walks, then small worlds to a depth. Ends with 1 and the shortest script to
// the violation if there is one.
let usage = """
    usage: explore [--config standard|storm-safe] [--depth test|full] [--seeds N] [--first-seed N] [--events N]
           explore --replay SCRIPT [--config C] [--seed N | --app A --draws D]

    Without --config both configurations are explored. --seeds walks of --events events each come before the small
    worlds (default 200 of 5000, seeds from 1). --replay follows a script as failures print it: in the world of that seed, or
    from a fresh machine in the foreground or background with draws from one end of every range (shortest or longest).
    """

var options: [String: String] = [:]
let known: Set = [
    "--config", "--depth", "--seeds", "--first-seed", "--events", "--replay", "--seed", "--draws", "--app",
]
var arguments = CommandLine.arguments.dropFirst()
while let name = arguments.popFirst() {
    if name == "--help" {
        print(usage)
        exit(0)
    }
    guard known.contains(name) else { fail("unknown option \(name)") }
    guard let value = arguments.popFirst() else { fail("\(name) needs a value") }
    options[name] = value
}

let settings: [Setting]
if let name = options["--config"] {
    guard let setting = Setting(rawValue: name) else { fail("--config is standard or storm-safe, not \(name)") }
    settings = [setting]
} else {
    settings = Setting.allCases
}
do {
    if let script = options["--replay"] {
        try replay(Step.script(script), settings)
    } else {
        try explore(settings)
    }
} catch {
    print("FOUND \(error)")
    exit(1)
}
