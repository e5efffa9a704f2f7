#!/usr/bin/env python3
"""The project's own rules, as far as a script can see them.

usage: source_rules.py [--root DIRECTORY] RULE...
Rules: see RULES at the end. Prints "path:line: what is wrong" for each violation, and ends with 1 if there is any.
scripts/check runs them; source_rules_selftest.py shows that each can fail.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

OURS = "ConnectionCore SteadyTransport WebSocketWire ConnectionLedger LedgerServer SteadySocket SteadySocketTestKit"
FOUNDATION = "Foundation FoundationEssentials"
C_LIBRARY = "Glibc Musl Darwin"
APPLE = "FoundationNetworking Network UIKit AppKit WatchKit Observation os Security"

# Targets point downwards only. A target that is not here must be added, with a thought.
MAY_IMPORT = {
    "ConnectionCore": "",
    "WebSocketWire": "",
    "SteadyTransport": f"ConnectionCore {FOUNDATION}",
    "CurlTransport": "ConnectionCore SteadyTransport WebSocketWire CCurl CEpoll CWslay CZlib Dispatch Synchronization "
    f"{FOUNDATION} {C_LIBRARY}",
    "URLSessionTransport": f"ConnectionCore SteadyTransport Dispatch FoundationNetworking Security {FOUNDATION}",
    "SteadySocket": "ConnectionCore SteadyTransport CurlTransport URLSessionTransport CNetlink Dispatch "
    f"{FOUNDATION} {C_LIBRARY} {APPLE}",
    "SteadySocketTestKit": f"ConnectionCore SteadyTransport SteadySocket Dispatch {FOUNDATION}",
    "SteadySocketURLSessionTestKit": "ConnectionCore SteadyTransport SteadySocket URLSessionTransport Dispatch "
    f"FoundationNetworking {FOUNDATION}",
    "GleapRealtime": f"ConnectionCore SteadyTransport SteadySocket Dispatch {FOUNDATION} FoundationNetworking {C_LIBRARY}",
    "FleetSimulator": f"ConnectionCore Dispatch {C_LIBRARY}",
    "WorldCheck": "ConnectionCore SteadyTransport SteadySocket SteadySocketTestKit Dispatch",
    "ConnectionLedger": f"ConnectionCore {FOUNDATION}",
    "LedgerServer": f"ConnectionCore ConnectionLedger WebSocketWire Dispatch {FOUNDATION} {C_LIBRARY}",
    "steady": f"{OURS} GleapRealtime FleetSimulator WorldCheck CurlTransport Dispatch {FOUNDATION} {C_LIBRARY}",
}

# The core is pure: time, randomness and facts come in, and it never ends the process.
NOT_IN_CORE = {
    r"\bfatalError\b|\bpreconditionFailure\b": "the core never ends the process: assertionFailure and a safe action",
    r"\bContinuousClock\b|\bSuspendingClock\b|\bDate\s*\(|\.now\b": "the core has no clock: take an Instant",
    r"\bTask\b|\bawait\b|\basync\b": "the core has no concurrency",
    r"\bSystemRandomNumberGenerator\b": "the core has no randomness: take a generator",
}
DRAW = re.compile(r"\.(random|shuffled|shuffle|randomElement)\s*\(")

LEFTOVERS = {
    r"^(<{7}|={7}|>{7})( |$)": "merge conflict marker",
    r"\bT[O]DO\b|\bFIX[M]E\b|\bXX[X]\b": "unfinished: do it or write an issue",
    r"(?<![\w./~-])/(home|root|work|Users)/\w": "a path of one machine",
}

LONGEST, LONG = 500, 300
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\(\w+\))?\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?import\s+"
    r"(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)"
)


class Problem(NamedTuple):
    path: Path
    line: int
    what: str


def tracked(root, *suffixes):
    """The project's own files: those that git knows or would take."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split("\0")
    paths = (root / name for name in sorted(set(names)) if name)
    return [path for path in paths if path.is_file() and (not suffixes or path.suffix in suffixes)]


def lines(path):
    return enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)


def code(line):
    """The line without strings and comments, well enough for these rules."""
    return re.sub(r"//.*$", "", re.sub(r'"(\\.|[^"\\])*"', '""', line))


def swift(root, *folders):
    return [path for path in tracked(root, ".swift") if path.relative_to(root).parts[0] in folders]


def imports(root):
    for path in swift(root, "Sources"):
        target = path.relative_to(root).parts[1]
        if target not in MAY_IMPORT:
            yield Problem(path, 1, f"target {target} has no row in MAY_IMPORT of scripts/source_rules.py")
            continue
        allowed = MAY_IMPORT[target].split()
        for number, line in lines(path):
            match = IMPORT.match(line)
            if match and match[1] not in allowed:
                yield Problem(path, number, f"{target} must not import {match[1]}")


def core(root):
    for path in swift(root, "Sources"):
        if path.relative_to(root).parts[1] != "ConnectionCore":
            continue
        text = [code(line) for _, line in lines(path)]
        for number, line in enumerate(text, 1):
            for pattern, why in NOT_IN_CORE.items():
                if re.search(pattern, line):
                    yield Problem(path, number, why)
            # A call may be broken into a few lines.
            if DRAW.search(line) and "using:" not in " ".join(text[number - 1 : number + 3]):
                yield Problem(path, number, "the core has no randomness: pass a generator with `using:`")
            if "Machine" in path.parts and re.search(r"\bdefault\s*:", line):
                yield Problem(path, number, "no `default:` in the machine: name the cases, so that a new one is noticed")


def sendable(root):
    for path in swift(root, "Sources", "Tests", "Benchmarks"):
        comment_above = False
        for number, line in lines(path):
            text = line.strip()
            if "@unchecked Sendable" in code(line) and not comment_above:
                yield Problem(path, number, "@unchecked Sendable needs a comment above that says what makes it true")
            # Attributes may stand between the comment and the declaration.
            comment_above = text.startswith("//") or (comment_above and text.startswith(("@", "#if", "#else")))


def printing(root):
    for path in swift(root, "Sources"):
        if path.relative_to(root).parts[1] == "steady":
            continue
        for number, line in lines(path):
            if re.search(r"(?<![.\w])(print|debugPrint|NSLog|dump)\s*\(", code(line)):
                yield Problem(path, number, "a library does not print")


def size(root):
    for path in tracked(root, ".swift", ".py", "", ".sh", ".h"):
        if path.name in ("LICENSE", ".gitignore"):
            continue
        length = sum(1 for _ in lines(path))
        if length > LONGEST:
            yield Problem(path, length, f"{length} lines; {LONGEST} is the most a file may have")
        elif length > LONG:
            print(f"note: {path.relative_to(root)} has {length} lines; above {LONG} look hard whether it is two things")


def leftovers(root):
    for path in tracked(root, ".swift", ".py", ".md", ".h", ".modulemap", ".yml", ".podspec", ".sh", ""):
        for number, line in lines(path):
            for pattern, what in LEFTOVERS.items():
                if re.search(pattern, line):
                    yield Problem(path, number, what)


def swift_blocks(path):
    """(line of the fence, lines of code) for each Swift example of a Markdown file."""
    start, block = 0, []
    for number, line in lines(path):
        if start and line.strip() == "```":
            yield start, block
            start, block = 0, []
        elif start:
            block.append(line.rstrip())
        elif line.strip() == "```swift":
            start = number


def readme(root):
    path = root / "README.md"
    if not path.exists():
        yield Problem(path, 1, "there is no README.md")
        return
    length = sum(1 for _ in lines(path))
    if length > 120:
        yield Problem(path, length, f"{length} lines; 120 is the most")
    blocks = list(swift_blocks(path))
    if not blocks:
        yield Problem(path, 1, "no Swift example")
    elif len(blocks[0][1]) > 12:
        yield Problem(path, blocks[0][0], f"the first example has {len(blocks[0][1])} lines; 12 is the most")


def examples(root):
    """Swift examples of the README and of DocC articles are parts of Snippets/*.swift, which `swift build` compiles."""
    snippets = [[line.strip() for _, line in lines(path)] for path in swift(root, "Snippets")]
    for path in tracked(root, ".md"):
        if path != root / "README.md" and not any(part.endswith(".docc") for part in path.parts):
            continue
        for number, block in swift_blocks(path):
            wanted = [line.strip() for line in block]
            starts = ((snippet, i) for snippet in snippets for i in range(len(snippet)))
            if not any(snippet[i : i + len(wanted)] == wanted for snippet, i in starts):
                yield Problem(path, number, "this example is not, line for line, in a file of Snippets/")


def links(root):
    for path in tracked(root, ".md"):
        for number, line in lines(path):
            for target in re.findall(r"\]\(([^)\s]+)\)", line):
                if re.match(r"[a-z]+:|#", target):
                    continue
                goal = (path.parent / target.split("#")[0]).resolve()
                if not goal.exists() or not goal.is_relative_to(root.resolve()):
                    yield Problem(path, number, f"links to {target}, which is not in this repository")
            for name in re.findall(r"(?<![\w/.-])(?:scripts|docs|Sources|Tests|Benchmarks|Snippets)/[\w./-]*\w", line):
                if "NNNN" not in name and not (root / name).exists():
                    yield Problem(path, number, f"speaks of {name}, which does not exist")


RULES = {rule.__name__: rule for rule in (imports, core, sendable, printing, size, leftovers, readme, examples, links)}


def main():
    parser = argparse.ArgumentParser(description="Check the project's own rules.")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("rules", nargs="+", choices=RULES, metavar="RULE", help=", ".join(RULES))
    options = parser.parse_args()
    problems = [problem for rule in options.rules for problem in RULES[rule](options.root)]
    for path, line, what in problems:
        print(f"{path.relative_to(options.root)}:{line}: {what}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
