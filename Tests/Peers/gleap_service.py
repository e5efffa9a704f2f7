#!/usr/bin/env python3
"""A stand-in for the service behind GleapRealtime: its HTTP calls and its WebSocket on one port of loopback (aiohttp).

It knows its contacts by credentials it makes itself, which hold characters that a query or header must not break on, and
reports everything it sees. Every line on standard output is one JSON object with an "event":

ready    http: the port
call     an HTTP call came: path, headers (lower-case names), body (the text), status of the answer (null: none was given)
open     a WebSocket was opened: id, path (with the raw query), contact (what its credentials stand for), headers
refused  a WebSocket was refused: path, status
closed   id, contact, code (1005: a Close frame without code; 1006: none came), seconds
done     command: a command from standard input has been carried out
error    message: a command could not be understood

Commands are JSON objects, one a line, on standard input; its end means quit.
{"answer": PATH, "status": N, "body": "TEXT", "headers": {}, "hang": BOOL, "times": N}
                        answer the next calls of this path so; "hang" gives no answer until the client goes
{"send_all": "text"}    send a text to every open socket
{"send_binary": "text"} the same as a binary message
{"close_all": CODE}     close every open socket with a Close frame
{"settle": true}        nothing; once it is done, everything seen before has been reported
{"quit": true}
"""

import argparse
import asyncio
import json
import sys
import time
from urllib.parse import parse_qs

from aiohttp import WSCloseCode, WSMsgType, web

API_KEY = "key+/=&?%#1"


def report(event, **fields):
    sys.stdout.write(json.dumps({"event": event, **fields}) + "\n")
    sys.stdout.flush()


class Service:
    COMMANDS = ("answer", "send_all", "send_binary", "close_all", "settle", "quit")

    def __init__(self):
        self.contacts = {}  # (id, hash): fields
        self.users = {}  # userId: (id, hash)
        self.answers = {}  # path: list of scripted answers
        self.sockets = {}
        self.opened = 0

    # Contacts

    def make_contact(self, fields):
        number = len(self.contacts) + 1
        key = (f"id{number}+/=", f"hash{number}&=%?#+/")
        self.contacts[key] = dict(fields)
        return key

    def credentials(self, request):
        key = (request.headers.get("Gleap-Id"), request.headers.get("Gleap-Hash"))
        return key if key in self.contacts else None

    @staticmethod
    def name(fields):
        return fields.get("userId") or "guest"

    def described(self, key):
        return {"gleapId": key[0], "gleapHash": key[1], **self.contacts[key]}

    # HTTP

    async def call(self, request):
        body = await request.text()
        headers = {name.lower(): value for name, value in request.headers.items()}

        def seen(status):
            report("call", path=request.path, headers=headers, body=body, status=status)

        scripted = self.answers.get(request.path)
        if scripted:
            answer = scripted.pop(0)
            if answer.get("hang"):
                seen(None)
                await asyncio.sleep(3600)
            seen(answer["status"])
            return web.Response(
                status=answer["status"], text=answer.get("body", ""), headers=answer.get("headers", {})
            )
        status, result = self.answer(request, json.loads(body or "{}"))
        seen(status)
        return web.json_response(result, status=status)

    def answer(self, request, body):
        if request.headers.get("Api-Token") != API_KEY:
            return 401, {}
        key = self.credentials(request)
        match request.path:
            case "/sessions":
                if key is None and "Gleap-Id" in request.headers:
                    return 401, {}
                return 200, self.described(key or self.make_contact({}))
            case "/sessions/identify":
                if key is None:
                    return 200, {"error": "unknown session"}
                fields = {name: value for name, value in body.items() if name != "userHash"}
                if body["userId"] not in self.users:
                    self.users[body["userId"]] = self.make_contact({})
                key = self.users[body["userId"]]
                self.contacts[key].update(fields)
                return 200, self.described(key)
            case "/sessions/partialupdate":
                if key is None:
                    return 200, {"errors": ["unknown session"]}
                self.contacts[key].update(body["data"])
                return 200, self.described(key)
            case _:
                return 404, {}

    # WebSocket

    async def socket(self, request):
        query = parse_qs(request.query_string, keep_blank_values=True)
        one = {name: values[0] for name, values in query.items() if len(values) == 1}
        fields = self.contacts.get((one.get("gleapId"), one.get("gleapHash")))
        if fields is None or one.get("apiKey") != API_KEY or "sdkVersion" not in one:
            report("refused", path=request.raw_path, status=401)
            return web.Response(status=401)
        socket = web.WebSocketResponse(autoping=True)
        await socket.prepare(request)
        self.opened += 1
        identifier, contact, started = self.opened, self.name(fields), time.monotonic()
        self.sockets[identifier] = socket
        headers = {name.lower(): value for name, value in request.headers.items()}
        report("open", id=identifier, path=request.raw_path, contact=contact, headers=headers)
        try:
            async for message in socket:
                if message.type is WSMsgType.ERROR:
                    break
        finally:
            del self.sockets[identifier]
            code = 1006 if socket.close_code is None else int(socket.close_code)
            seconds = round(time.monotonic() - started, 3)
            report("closed", id=identifier, contact=contact, code=code or 1005, seconds=seconds)
        return socket

    # Commands

    async def obey(self, command):
        everyone = list(self.sockets.values())
        match command:
            case {"answer": path, **answer}:
                times = answer.pop("times", 1)
                self.answers.setdefault(path, []).extend([answer] * times)
            case {"send_all": text}:
                await asyncio.gather(*(s.send_str(text) for s in everyone), return_exceptions=True)
            case {"send_binary": text}:
                await asyncio.gather(*(s.send_bytes(text.encode()) for s in everyone), return_exceptions=True)
            case {"close_all": code}:
                await asyncio.gather(*(s.close(code=code) for s in everyone), return_exceptions=True)
            case {"settle": _}:
                pass
            case {"quit": _}:
                return False
            case _:
                report("error", message=f"unknown command {next(iter(command), '')!r}")
                return True
        # The order of the members is the sender's own business.
        report("done", command=next(name for name in self.COMMANDS if name in command))
        return True

    async def run(self, port):
        app = web.Application()
        app.router.add_post("/{path:.*}", self.call)
        app.router.add_get("/", self.socket)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", port)
        await site.start()
        report("ready", http=runner.addresses[0][1])
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
            except (ValueError, KeyError, OSError) as problem:
                report("error", message=str(problem))
        await asyncio.gather(
            *(s.close(code=WSCloseCode.GOING_AWAY) for s in list(self.sockets.values())), return_exceptions=True
        )


def main():
    parser = argparse.ArgumentParser(description="Stand-in for the service behind GleapRealtime; see the source.")
    parser.add_argument("--port", type=int, default=0, help="port on loopback (default: one the system picks)")
    options = parser.parse_args()
    asyncio.run(Service().run(options.port))


if __name__ == "__main__":
    main()
