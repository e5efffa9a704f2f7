#!/usr/bin/env python3
"""Shows that the peer misbehaves as its paths say, and reports what the client did, with the library's own client.

The tests of SteadySocket trust these behaviours, so they are checked without SteadySocket.
"""

import asyncio
import contextlib
import json
import sys
from pathlib import Path

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

LIMIT = 20  # seconds until a wait for something that should come is given up
PATIENCE = 0.2  # seconds to see that something does not come, which only waiting shows

# Path; what the client sees: the close code, or why the opening failed; what the peer reports it received.
SOCKETS = [
    ("/close/1000", 1000, 1000),
    ("/close/1001", 1001, 1001),
    ("/close/1011", 1011, 1011),
    ("/close/1012?reason=restart", 1012, 1012),
    ("/close/1013", 1013, 1013),
    ("/close/4001?after=1", 4001, 4001),
    ("/close/1006", 1006, 1002),  # no legal code: the client refuses the frame with 1002
    ("/close/999", 1006, 1002),
    ("/empty-close", 1005, 1005),
    ("/drop", 1006, 1006),
    ("/reset", 1006, 1006),
    ("/hello?close=1001", 1001, 1001),
    ("/flood/20?size=10", 1000, 1000),
    ("/linger", 1000, 1000),
    ("/raw?hex=88021388", 1006, 1002),  # a close frame with 5000, which is out of range
    ("/badutf8", 1006, 1007),
    ("/badframe", 1006, 1002),
    ("/masked", 1006, 1002),
    ("/badopcode", 1006, 1002),
    ("/badclose", 1006, 1002),
]
REFUSALS = ["/status/401", "/status/503?retry-after=7", "/garbage", "/half", "/endless"]
BAD_UPGRADES = ["/bad-accept", "/bad-upgrade", "/bad-extension", "/bad-subprotocol"]
MESSAGES = [
    ("/early", ["early", "hi"]),
    ("/hello?text=there", ["there", "hi"]),
    ("/pinger?n=2", ["pong", "pong", "hi"]),
    ("/big/5", ["xxxxx", b"yyyyy", "hi"]),
    ("/frag", ["part 0;part 1;part 2;part 3;", "hi"]),
    ("/slow?s=0.01", ["hi"]),
    ("/echo", ["hi"]),
]


class Peer:
    async def start(self):
        script = str(Path(__file__).with_name("peer.py"))
        pipe = asyncio.subprocess.PIPE
        self.process = await asyncio.create_subprocess_exec(sys.executable, script, stdin=pipe, stdout=pipe)
        self.port = (await self.next("ready"))["ws"]

    async def next(self, event, path=None):
        """The next record of this kind, of a socket on this path; others before it are dropped."""
        async with asyncio.timeout(LIMIT):
            while True:
                record = json.loads(await self.process.stdout.readline())
                if record["event"] == event and path in (None, record.get("path")):
                    return record

    async def command(self, **command):
        self.process.stdin.write(json.dumps(command).encode() + b"\n")
        await self.next("done")

    def connect(self, path, **options):
        return connect(f"ws://127.0.0.1:{self.port}{path}", proxy=None, open_timeout=LIMIT, max_size=None, **options)


def expect(what, got, wanted):
    if got != wanted:
        raise AssertionError(f"{what}: {got!r} instead of {wanted!r}")


async def read_to_the_end(socket, greet):
    with contextlib.suppress(ConnectionClosed):  # some close before the greeting is sent
        if greet:
            await socket.send("hi")
        while True:
            await socket.recv()


async def check_sockets(peer):
    for path, client_sees, peer_reports in SOCKETS:
        async with asyncio.timeout(LIMIT), peer.connect(path, close_timeout=PATIENCE) as socket:
            reading = asyncio.create_task(read_to_the_end(socket, greet=path != "/linger"))
            done, _ = await asyncio.wait([reading], timeout=PATIENCE if path == "/linger" else LIMIT)
            expect(f"{path}: the peer ended TCP", bool(done), path != "/linger")
            await socket.close()
            await reading
            expect(f"{path}: the client saw", socket.close_code, client_sees)
        record = await peer.next("closed")
        expect(f"{path}: the report", (record["path"], record["code"]), (path, peer_reports))


async def check_refusals(peer):
    for path in REFUSALS + BAD_UPGRADES:
        try:
            async with peer.connect(path):
                raise AssertionError(f"{path}: opened")
        except (InvalidHandshake, InvalidMessage, EOFError, OSError):
            pass
        record = await peer.next("refused" if path in REFUSALS else "closed")
        expect(f"{path}: the report", record["path"], path)


async def check_messages(peer):
    for path, wanted in MESSAGES:
        async with asyncio.timeout(LIMIT), peer.connect(path) as socket:
            await socket.send("hi")
            got = [await socket.recv() for _ in wanted]
        expect(f"{path}: messages", sorted(map(str, got)), sorted(map(str, wanted)))
        record = await peer.next("closed")
        expect(f"{path}: first to close", (record["first"], record["code"], record["messages"]), ("client", 1000, 1))


async def check_commands(peer):
    async with asyncio.timeout(LIMIT), peer.connect("/echo") as socket:
        await peer.command(send_all="to all")
        expect("send_all", await socket.recv(), "to all")
        await peer.command(stop=True)
        try:
            await peer.connect("/echo")
            raise AssertionError("stop: still listening")
        except OSError:
            pass
        await peer.command(silent=True)
        await socket.send("are you there?")
        pong = await socket.ping()
        done, _ = await asyncio.wait([pong], timeout=PATIENCE)
        expect("silent: pongs", len(done), 0)
        await peer.command(silent=False)
        await pong
        expect("silent no more", await socket.recv(), "are you there?")
        await peer.command(start=True)
        async with peer.connect("/echo", user_agent_header="again") as second:
            opened = await peer.next("open")
            expect("start: the report", opened["headers"]["user-agent"], "again")
            await peer.command(close_all=1012, reason="restart")
            await asyncio.gather(socket.wait_closed(), second.wait_closed())
            expect("close_all", (second.close_code, second.close_reason), (1012, "restart"))
    async with asyncio.timeout(LIMIT), peer.connect("/sink", close_timeout=PATIENCE) as socket:
        await peer.next("open", "/sink")
        await peer.command(silent=True)
        await socket.close(1000, "given up")
        closed = await peer.next("closed", "/sink")
        seen = (closed["code"], closed["reason"], closed["first"])
        expect("silent: a close frame is reported all the same", seen, (1000, "given up", "client"))
        await peer.command(silent=False)
    async with asyncio.timeout(LIMIT), peer.connect("/echo") as socket:
        await peer.command(drop_all=True)
        await socket.wait_closed()
        expect("drop_all", socket.close_code, 1006)


async def main():
    peer = Peer()
    await peer.start()
    for check in (check_sockets, check_refusals, check_messages, check_commands):
        await check(peer)
    peer.process.stdin.close()
    async with asyncio.timeout(LIMIT):
        expect("the end of standard input: status", await peer.process.wait(), 0)
    print(f"{len(SOCKETS) + len(REFUSALS) + len(BAD_UPGRADES) + len(MESSAGES)} paths and the commands are as stated")


if __name__ == "__main__":
    asyncio.run(main())
