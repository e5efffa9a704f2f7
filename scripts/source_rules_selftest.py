#!/usr/bin/env python3
"""Shows that every rule of source_rules.py can fail, and stays quiet about what is right.

Each violation is planted alone in a temporary copy of the project; the rule must report the planted file, and nothing
that it did not report before.
"""

import contextlib
import io
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import source_rules

CORE = "Sources/ConnectionCore/Planted.swift"
MACHINE = "Sources/ConnectionCore/Machine/Planted.swift"
LIBRARY = "Sources/SteadySocket/Planted.swift"
SNIPPET = "Snippets/Planted.swift"
ARTICLE = "Sources/SteadySocket/Planted.docc/Planted.md"


class Plant(NamedTuple):
    rule: str
    path: str
    text: str
    wrong: bool = True


def example(count):
    return "\n```swift\n" + "\n".join(f"let line{i} = {i}" for i in range(count)) + "\n```\n"


PLANTS = [
    Plant("imports", CORE, "import Foundation\n"),
    Plant("imports", CORE, "@preconcurrency internal import Dispatch\n"),
    Plant("imports", CORE, "    import struct Foundation.Data\n"),
    Plant("imports", "Sources/WebSocketWire/Planted.swift", "import ConnectionCore\n"),
    Plant("imports", "Sources/SteadyTransport/Planted.swift", "package import SteadySocket\n"),
    Plant("imports", "Sources/Unlisted/Planted.swift", "let a = 1\n"),
    Plant("imports", LIBRARY, "@_exported public import ConnectionCore\n", wrong=False),
    Plant("core", CORE, 'func f() { fatalError("no") }\n'),
    Plant("core", CORE, "func f() { preconditionFailure() }\n"),
    Plant("core", CORE, "let now = ContinuousClock().now\n"),
    Plant("core", CORE, "let now = Date()\n"),
    Plant("core", CORE, "let t = Task { }\n"),
    Plant("core", CORE, "let x = Int.random(in: 0..<3)\n"),
    Plant("core", CORE, "let x = Int.random(\n    in: f(0)..<3,\n    using: &generator)\n", wrong=False),
    Plant("core", CORE, '// Task, Date() and fatalError are for others\nlet s = "fatalError"\n', wrong=False),
    Plant("core", MACHINE, "switch state {\ncase .open: 1\ndefault: 2\n}\n"),
    Plant("core", CORE, "switch byte {\ncase 1: 1\ndefault: 2\n}\n", wrong=False),
    Plant("sendable", LIBRARY, "\nfinal class Planted: @unchecked Sendable {}\n"),
    Plant("sendable", LIBRARY, "// All state is under the lock.\n\nfinal class Planted: @unchecked Sendable {}\n"),
    Plant("sendable", LIBRARY, "// All state is under the lock.\nfinal class P: @unchecked Sendable {}\n", wrong=False),
    Plant("printing", LIBRARY, 'func f() { print("here") }\n'),
    Plant("printing", LIBRARY, "/// print(socket)\nfunc f() { socket.dump(1) }\n", wrong=False),
    Plant("size", LIBRARY, "//\n" * 501),
    Plant("size", LIBRARY, "//\n" * 500, wrong=False),
    Plant("leftovers", LIBRARY, "<<<<<<" + "< HEAD\n"),
    Plant("leftovers", LIBRARY, "// TO" + "DO: later\n"),
    Plant("leftovers", "docs/planted.md", "Run it in /home" + "/me/steady\n"),
    Plant("readme", "README.md", "line\n" * 121 + example(3)),
    Plant("readme", "README.md", "line\n" + example(13)),
    Plant("readme", "README.md", "no example\n"),
    Plant("readme", "README.md", "line\n" * 100 + example(12), wrong=False),
    Plant("examples", "README.md", example(5)),
    Plant("examples", ARTICLE, example(5)),
    Plant("links", "docs/planted.md", "See [there](nowhere.md).\n"),
    Plant("links", "docs/planted.md", "See [there](../../elsewhere.md).\n"),
    Plant("links", "docs/planted.md", "Run `scripts/nothing`.\n"),
    Plant("links", "docs/planted.md", "[a](../LICENSE) [b](https://example.com/x.md) `scripts/check`\n", wrong=False),
]


def copy_project(root, copy):
    for path in source_rules.tracked(root):
        goal = copy / path.relative_to(root)
        goal.parent.mkdir(parents=True, exist_ok=True)
        goal.write_bytes(path.read_bytes())
    subprocess.run(["git", "init", "-q", str(copy)], check=True)


def planted_problems(plant, copy):
    """What the rule says about the planted file."""
    path = copy / plant.path
    before = path.read_bytes() if path.exists() else None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(plant.text)
    with contextlib.redirect_stdout(io.StringIO()):  # notes about long files
        problems = [problem for problem in source_rules.RULES[plant.rule](copy) if problem.path == path]
    path.unlink()
    if before is not None:
        path.write_bytes(before)
    return problems


def main():
    root = Path(__file__).resolve().parent.parent
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        copy_project(root, copy)
        for plant in PLANTS:
            if bool(planted_problems(plant, copy)) != plant.wrong:
                failures += 1
                verdict = "says nothing about" if plant.wrong else "complains about"
                print(f"rule {plant.rule} {verdict} {plant.path} with {plant.text[:60]!r}")
        # An example is right when a snippet has it, indented or not.
        (copy / "Snippets").mkdir(exist_ok=True)
        (copy / SNIPPET).write_text("func planted() {\n    let line0 = 0\n    let line1 = 1\n}\n")
        if planted_problems(Plant("examples", "README.md", example(2)), copy):
            failures += 1
            print("rule examples complains about an example that a snippet has")
    untried = set(source_rules.RULES) - {plant.rule for plant in PLANTS if plant.wrong}
    for rule in sorted(untried):
        failures += 1
        print(f"rule {rule} has no planted violation")
    print(f"{len(PLANTS) + 1} plants, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
