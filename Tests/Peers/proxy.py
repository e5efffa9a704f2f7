#!/usr/bin/env python3
"""An HTTP CONNECT proxy and a SOCKS5 proxy that report every use.

Both listen on loopback, on ports the system picks. Every line on standard output is one JSON object:

ready    http, socks5 (ports)
proxied  kind ("http" or "socks5"), target ("host:port" as asked, so a name shows who resolves it), user (or null),
         status (HTTP status or SOCKS5 reply)

With --user and --password both ask for them. The end of standard input means quit.
"""

import argparse
import asyncio
import base64
import contextlib
import ipaddress
import json
import sys

SOCKS_OK, SOCKS_UNREACHABLE, SOCKS_BAD_COMMAND = 0, 4, 7


def report(event, **fields):
    sys.stdout.write(json.dumps({"event": event, **fields}) + "\n")
    sys.stdout.flush()


class Proxy:
    def __init__(self, user, password):
        self.credentials = None if user is None else (user, password or "")

    async def http(self, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        request, *fields = head.decode("latin-1").split("\r\n")
        method, target, _ = request.split(" ", 2)
        user, password = proxy_authorization(fields)
        if self.credentials is not None and (user, password) != self.credentials:
            status, reply = 407, "407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"peer\""
        elif method != "CONNECT":
            status, reply = 405, "405 Method Not Allowed"
        else:
            host, port = target.rsplit(":", 1)
            upstream = await connect(host.strip("[]"), int(port))
            status, reply = (502, "502 Bad Gateway") if upstream is None else (200, "200 Connection Established")
        report("proxied", kind="http", target=target, user=user, status=status)
        if status == 200:
            writer.write(f"HTTP/1.1 {reply}\r\n\r\n".encode())
            await relay((reader, writer), upstream)
        else:
            writer.write(f"HTTP/1.1 {reply}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())

    async def socks5(self, reader, writer):
        """RFC 1928, with the user name and password of RFC 1929."""
        _, count = await reader.readexactly(2)
        offered = await reader.readexactly(count)
        user = password = None
        if self.credentials is None:
            writer.write(b"\x05\x00")
        elif 2 not in offered:
            report("proxied", kind="socks5", target=None, user=None, status=255)
            writer.write(b"\x05\xff")
            return
        else:
            writer.write(b"\x05\x02")
            await reader.readexactly(1)
            user = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
            password = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
            if (user, password) != self.credentials:
                report("proxied", kind="socks5", target=None, user=user, status=1)
                writer.write(b"\x01\x01")
                return
            writer.write(b"\x01\x00")
        _, command, _, kind = await reader.readexactly(4)
        if kind == 3:
            host = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
        else:
            host = str(ipaddress.ip_address(await reader.readexactly(4 if kind == 1 else 16)))
        port = int.from_bytes(await reader.readexactly(2), "big")
        upstream = None
        status = SOCKS_BAD_COMMAND
        if command == 1:
            upstream = await connect(host, port)
            status = SOCKS_UNREACHABLE if upstream is None else SOCKS_OK
        report("proxied", kind="socks5", target=f"{host}:{port}", user=user, status=status)
        writer.write(bytes([5, status, 0, 1]) + bytes(6))
        if upstream is not None:
            await relay((reader, writer), upstream)


def proxy_authorization(fields):
    for field in fields:
        name, _, value = field.partition(":")
        scheme, _, encoded = value.strip().partition(" ")
        if name.lower() == "proxy-authorization" and scheme.lower() == "basic":
            user, _, password = base64.b64decode(encoded).decode().partition(":")
            return user, password
    return None, None


async def connect(host, port):
    try:
        return await asyncio.open_connection(host, port)
    except OSError:
        return None


async def relay(client, upstream):
    async def copy(reader, writer):
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
        # An end from one side is passed on, whatever its kind, so that the other side sees it too.
        with contextlib.suppress(OSError):
            writer.close()

    await asyncio.gather(copy(client[0], upstream[1]), copy(upstream[0], client[1]))


def served(handler):
    async def serve(reader, writer):
        try:
            await handler(reader, writer)
        except (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as problem:
            report("error", message=f"{type(problem).__name__}: {problem}")
        finally:
            writer.close()

    return serve


async def run(options):
    proxy = Proxy(options.user, options.password)
    servers = [await asyncio.start_server(served(kind), "127.0.0.1", 0) for kind in (proxy.http, proxy.socks5)]
    http, socks5 = (server.sockets[0].getsockname()[1] for server in servers)
    report("ready", http=http, socks5=socks5)
    lines = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    await lines.read()  # until the end of standard input


def main():
    parser = argparse.ArgumentParser(description="HTTP CONNECT and SOCKS5 proxies that report every use.")
    parser.add_argument("--user", help="ask for this user")
    parser.add_argument("--password", help="and this password")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
