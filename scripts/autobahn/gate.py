#!/usr/bin/env python3
"""The verdict over one set of cases.

usage: gate.py REPORTS AGENT SET
Prints one line, and one more for each case that is not acceptable. Ends with 0 only if every case of the set was run and
is acceptable in behaviour and in close behaviour.
"""

import json
import sys
from pathlib import Path

from sets import SETS

ACCEPTABLE = {"OK", "NON-STRICT", "INFORMATIONAL"}
SHOWN = 20


def main():
    reports, agent, name = sys.argv[1:4]
    index = Path(reports) / "index.json"
    results = json.loads(index.read_text()).get(agent, {}) if index.exists() else {}
    unacceptable = {
        case: result
        for case, result in results.items()
        if not {result["behavior"], result["behaviorClose"]} <= ACCEPTABLE
    }
    lax = sum(result["behavior"] == "NON-STRICT" for result in results.values())
    good, expected = len(results) - len(unacceptable), SETS[name].count
    print(f"conformance {name}: {good} of {expected} acceptable" + (f", {lax} of them non-strict" if lax else ""))
    if len(results) != expected:
        print(f"  {len(results)} cases were run, {expected} expected")
    for case, result in list(unacceptable.items())[:SHOWN]:
        verdict = f"{result['behavior']}, close {result['behaviorClose']}, code {result['remoteCloseCode']}"
        print(f"  case {case}: {verdict}; see {Path(reports) / result['reportfile']}")
    if len(unacceptable) > SHOWN:
        print(f"  and {len(unacceptable) - SHOWN} more")
    sys.exit(0 if good == expected == len(results) else 1)


if __name__ == "__main__":
    main()
