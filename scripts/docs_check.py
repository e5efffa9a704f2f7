#!/usr/bin/env python3
"""What docc does not check: every public symbol has a doc comment, and the curated pages list all that is on them.

usage: docs_check.py GRAPHS ARCHIVE | --selftest
GRAPHS has the symbol graphs, ARCHIVE what docc made of them. Prints a line for each mistake, and ends with 1 if there is any.
"""

import json
import sys
from pathlib import Path

# Pages whose topics are written by hand; elsewhere docc's own order, by kind, is good enough.
CURATED = ["steadysocket", "steadysocket/steadysocket"]


def undocumented(graph):
    """The symbols without a doc comment."""
    for symbol in graph["symbols"]:
        if not symbol.get("docComment", {}).get("lines"):
            yield f"{'.'.join(symbol['pathComponents'])} has no doc comment"


def unlisted(page):
    """What docc had to put into a group of its own making, but for the protocols a type conforms to."""
    for section in page.get("topicSections", []):
        if not section.get("generated") or section.get("title") == "Default Implementations":
            continue
        for identifier in section["identifiers"]:
            title = page["references"].get(identifier, {}).get("title", identifier)
            yield f"{identifier.rsplit('/', 1)[-1]} is in no topic ({title})"


def problems(graphs, archive):
    found = [path for path in sorted(graphs.glob("*.symbols.json"))]
    if not found:
        yield f"no symbol graph in {graphs}"
    for path in found:
        graph = json.loads(path.read_text())
        if not graph["symbols"]:
            yield f"{path} has no symbols"
        yield from undocumented(graph)
    for name in CURATED:
        yield from unlisted(json.loads((archive / "data/documentation" / f"{name}.json").read_text()))


def selftest():
    graph = {"symbols": [{"pathComponents": ["A", "b"]}, {"pathComponents": ["C"], "docComment": {"lines": [{}]}}]}
    expected = ["A.b has no doc comment"]
    return 0 if list(undocumented(graph)) == expected else "docs_check: overlooks a symbol without a doc comment"


def main():
    if sys.argv[1:] == ["--selftest"]:
        sys.exit(selftest())
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    lines = list(problems(Path(sys.argv[1]), Path(sys.argv[2])))
    print("\n".join(lines), end="\n" if lines else "")
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
