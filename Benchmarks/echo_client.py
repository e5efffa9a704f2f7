"""One echo client on python `websockets`, as a yardstick for SocketBench's.

usage: echo_client.py URL SIZE WINDOW COUNT
Prints one JSON object: messages per second from the first message sent to the last one received.
"""

import asyncio
import json
import sys
import time

from websockets.asyncio.client import connect


async def echo(url: str, size: int, window: int, count: int) -> float:
    payload = b"\x07" * size
    async with connect(url, compression=None, ping_interval=None, max_size=None) as socket:
        start = time.monotonic()
        sent = min(window, count)
        for _ in range(sent):
            await socket.send(payload)
        for _ in range(count):
            if len(await socket.recv()) != size:
                sys.exit("echo_client: an echo of another size")
            if sent < count:
                sent += 1
                await socket.send(payload)
        return count / (time.monotonic() - start)


async def main(url: str, size: int, window: int, count: int) -> None:
    # A short run first, as in SocketBench.
    await echo(url, size, window, min(count, window * 20))
    processor = time.process_time()
    rate = await echo(url, size, window, count)
    print(json.dumps({"messagesPerSecond": rate, "processorSeconds": time.process_time() - processor}))


asyncio.run(main(sys.argv[1], *map(int, sys.argv[2:5])))
