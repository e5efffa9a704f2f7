#!/usr/bin/env python3
"""A WebSocket server that misbehaves on request and reports what it saw.

It listens on loopback, on ports the system picks. What a socket's path asks for is in behaviours.py.
Every line on standard output is one JSON object with an "event":

ready    ws, wss (ports; wss is null without --cert)
requested  path (with query): a whole upgrade request is here, not answered yet
open     (answered with 101) id, path (with query), headers (lower-case names; no values of secrets), subprotocol, extensions, secure
message  id, text (or null), bytes: only with --report-messages
closed   id, path, code and reason as received (1005: a close frame without code; 1006: none came), sent (the code
         this server sent, or null), first ("client", "server" or null: who sent the first close frame),
         messages, bytes, pings, pongs (counts of received frames), seconds
refused  path, headers, status: the opening handshake was answered with this status, or with garbage (status null)
done     command: a command from standard input has been carried out
error    message: a command could not be understood

Commands are JSON objects, one a line, on standard input; its end means quit.
{"close_all": CODE, "reason": "..."}   close every open socket with a close frame
{"drop_all": true}                     end every TCP connection without a close frame
{"reset_all": true}                    the same with RST
{"send_all": "text"}                   send a text message to every open socket
{"silent": true}                       keep reading, but answer nothing any more; false: catch up. What came in between
                                       counts in the reports in either case
{"stop": true} / {"start": true}       stop listening (open sockets stay) / listen again on the same ports
{"quit": true}
"""

import argparse
import asyncio
import contextlib
import json
import logging
import ssl
import sys
import time

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.frames import Opcode

import behaviours

SECRET_HEADERS = {"authorization", "proxy-authorization", "cookie"}


def report(event, **fields):
    sys.stdout.write(json.dumps({"event": event, **fields}) + "\n")
    sys.stdout.flush()


def reportable(headers):
    """Header names in lower case with their values; secrets only say that they were there."""
    values = {}
    for name, value in headers.raw_items():
        name = name.lower()
        shown = "(not shown)" if name in SECRET_HEADERS else value
        values[name] = f"{values[name]}, {shown}" if name in values else shown
    return values


class Connection(ServerConnection):
    """A server connection that counts control frames and can play dead."""

    peer: "Peer"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.pings = self.pongs = self.messages = self.bytes = 0
        self.unread = []
        self.mute = False
        self.lingers = False

    def connection_made(self, transport):
        super().connection_made(transport)
        self.peer.connections.add(self)

    def eof_received(self):
        self.read_the_rest()
        return super().eof_received()

    def connection_lost(self, exc):
        self.read_the_rest()
        self.peer.connections.discard(self)
        super().connection_lost(exc)

    def eof_received(self):
        # What came before the end counts, read late or not: it may be the Close frame.
        self.catch_up()
        return super().eof_received()

    def data_received(self, data):
        if self.peer.silent:
            self.unread.append(data)
        else:
            super().data_received(data)

    def catch_up(self):
        data, self.unread = b"".join(self.unread), []
        if data:
            super().data_received(data)

    def read_the_rest(self):
        """At the end of a connection, what came while playing dead is reported too, but still not answered."""
        if self.unread:
            self.mute = True
            self.catch_up()

    def send_data(self):
        if not self.lingers and not self.mute:
            return super().send_data()
        for data in self.protocol.data_to_send():
            if data and not self.mute:  # the empty one stands for the end of the stream
                self.transport.write(data)

    def process_event(self, event):
        if self.request is not None:
            if event.opcode is Opcode.PING:
                self.pings += 1
            elif event.opcode is Opcode.PONG:
                self.pongs += 1
        super().process_event(event)

    def who_closed_first(self):
        received, sent = self.protocol.close_rcvd, self.protocol.close_sent
        if received is None and sent is None:
            return None
        if received is not None and sent is not None:
            return "client" if self.protocol.close_rcvd_then_sent else "server"
        return "client" if received is not None else "server"


class Peer:
    def __init__(self, options):
        self.options = options
        self.silent = False
        self.answering = asyncio.Event()
        self.answering.set()
        self.connections = set()
        self.opened = 0
        self.servers: list[Server] = []
        self.ports = {"ws": 0, "wss": None}

    # Listening

    async def listen(self):
        contexts = {"ws": None}
        if self.options.cert:
            contexts["wss"] = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            contexts["wss"].load_cert_chain(self.options.cert, self.options.key)
        peer_connection = type("PeerConnection", (Connection,), {"peer": self})
        for scheme, context in contexts.items():
            server = await serve(
                self.handle,
                "127.0.0.1",
                self.ports[scheme] or 0,
                ssl=context,
                create_connection=peer_connection,
                process_request=self.process_request,
                process_response=self.process_response,
                select_subprotocol=behaviours.select_subprotocol,
                compression=None if self.options.no_deflate else "deflate",
                max_size=64 << 20,
                open_timeout=None,
                ping_interval=self.options.ping_interval,
                ping_timeout=self.options.ping_interval,
                close_timeout=self.options.close_timeout,
                reuse_address=True,
                backlog=1024,
            )
            self.servers.append(server)
            self.ports[scheme] = server.sockets[0].getsockname()[1]

    async def stop_listening(self):
        for server in self.servers:
            server.close(close_connections=False)
        self.servers = []
        await asyncio.sleep(0)  # the listening sockets are closed by the servers' own tasks

    # One connection

    async def process_request(self, connection, request):
        report("requested", path=request.path)
        await self.answering.wait()
        response = await behaviours.answer_request(connection, request)
        if response is not None:
            report("refused", path=request.path, headers=reportable(request.headers), status=response.status_code)
        elif connection.transport.is_closing():
            report("refused", path=request.path, headers=reportable(request.headers), status=None)
        return response

    def process_response(self, connection, request, response):
        return behaviours.alter_response(connection, request, response)

    async def handle(self, connection):
        self.opened += 1
        identifier, started, path = self.opened, time.monotonic(), connection.request.path
        report(
            "open",
            id=identifier,
            path=path,
            headers=reportable(connection.request.headers),
            subprotocol=connection.subprotocol,
            extensions=[extension.name for extension in connection.protocol.extensions],
            secure=connection.transport.get_extra_info("ssl_object") is not None,
        )

        def received(message):
            connection.messages += 1
            connection.bytes += len(message.encode() if isinstance(message, str) else message)
            if self.options.report_messages:
                text = message if isinstance(message, str) else None
                report("message", id=identifier, text=text, bytes=len(message))

        with contextlib.suppress(ConnectionClosed, OSError):
            await behaviours.behave(connection, received)
        await connection.wait_closed()
        sent = connection.protocol.close_sent
        report(
            "closed",
            id=identifier,
            path=path,
            code=int(connection.close_code),
            reason=connection.close_reason or "",
            sent=None if sent is None else int(sent.code),
            first=connection.who_closed_first(),
            messages=connection.messages,
            bytes=connection.bytes,
            pings=connection.pings,
            pongs=connection.pongs,
            seconds=round(time.monotonic() - started, 3),
        )

    # Commands

    async def obey(self, command):
        name = next((key for key in command if key != "reason"), "")
        everyone = list(self.connections)
        match name:
            case "close_all":
                closing = [c.close(command[name], command.get("reason", "")) for c in everyone]
                await asyncio.gather(*closing, return_exceptions=True)
            case "drop_all":
                for connection in everyone:
                    connection.transport.close()
            case "reset_all":
                for connection in everyone:
                    behaviours.reset(connection)
            case "send_all":
                sending = [c.send(command[name]) for c in everyone]
                await asyncio.gather(*sending, return_exceptions=True)
            case "silent":
                self.silent = bool(command[name])
                if self.silent:
                    self.answering.clear()
                else:
                    self.answering.set()
                    for connection in everyone:
                        connection.catch_up()
            case "stop":
                await self.stop_listening()
            case "start":
                if not self.servers:
                    await self.listen()
            case "quit":
                return False
            case _:
                report("error", message=f"unknown command {name!r}")
                return True
        report("done", command=name)
        return True

    async def run(self):
        await self.listen()
        report("ready", **self.ports)
        loop = asyncio.get_running_loop()
        lines = asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
        running = True
        while running and (line := await lines.readline()):
            try:
                command = json.loads(line)
                if not isinstance(command, dict) or not command:
                    raise ValueError("not a JSON object with a command")
                running = await self.obey(command)
            except (ValueError, OSError) as problem:
                report("error", message=str(problem))


def main():
    parser = argparse.ArgumentParser(description="WebSocket server that misbehaves on request; see the source.")
    parser.add_argument("--cert", help="PEM certificate chain: listen with TLS as well")
    parser.add_argument("--key", help="PEM key of --cert")
    parser.add_argument("--no-deflate", action="store_true", help="do not negotiate permessage-deflate")
    parser.add_argument("--ping-interval", type=float, help="send pings every so many seconds (default: never)")
    parser.add_argument("--close-timeout", type=float, default=5, help="seconds to wait for the client's close frame")
    parser.add_argument("--report-messages", action="store_true", help="report every message received")
    options = parser.parse_args()
    if bool(options.cert) != bool(options.key):
        parser.error("--cert and --key go together")
    # Connections that break the protocol are this server's business; its library would print a traceback for each.
    logging.getLogger("websockets").setLevel(logging.CRITICAL)
    asyncio.run(Peer(options).run())


if __name__ == "__main__":
    main()
