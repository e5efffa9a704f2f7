#!/usr/bin/env python3
"""The fuzzing server on a free loopback port.

usage: serve.py SUITE REPORTS SET
SUITE is what port.py made. Prints "ready PORT COUNT" when it listens; ends with the end of standard input.
"""

import json
import socket
import sys
import threading

from sets import SETS


def main():
    suite, reports, name = sys.argv[1:4]
    sys.path.insert(0, suite)
    import txaio

    txaio.use_twisted()
    from autobahntestsuite import fuzzing
    from twisted.internet import reactor

    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    spec = {"url": f"ws://127.0.0.1:{port}", "outdir": reports, "cases": SETS[name].patterns}
    spec |= {"exclude-cases": [], "exclude-agent-cases": {}}
    fuzzing.startServer(json.loads(json.dumps(spec)), 0)

    def end_with_input():
        sys.stdin.read()
        reactor.callFromThread(reactor.stop)

    reactor.callWhenRunning(lambda: print("ready", port, SETS[name].count, flush=True))
    threading.Thread(target=end_with_input, daemon=True).start()
    reactor.run()


if __name__ == "__main__":
    main()
