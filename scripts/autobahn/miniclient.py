#!/usr/bin/env python3
"""A small WebSocket client for the suite, right or wrong on purpose, to show that the gate tells them apart.

usage: miniclient.py --url URL --agent NAME [--bug BUG]
"""

import argparse
import base64
import codecs
import contextlib
import os
import socket
import struct
from urllib.parse import urlsplit

BUGS = {
    "utf8": "does not check UTF-8",
    "close-code": "answers every close frame with 1001 or 1003",
    "quits": "leaves out the last case",
}
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10


class ProtocolFailure(Exception):
    def __init__(self, code):
        super().__init__(f"fail the connection with {code}")
        self.code = code


class Connection:
    def __init__(self, url, path, bug=None):
        address = urlsplit(url)
        self.bug = bug
        self.socket = socket.create_connection((address.hostname, address.port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""
        key = base64.b64encode(os.urandom(16)).decode()
        request = [
            f"GET {path} HTTP/1.1", f"Host: {address.netloc}", "Upgrade: websocket", "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", "",
        ]  # fmt: skip
        self.socket.sendall("\r\n".join(request).encode())
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.receive()
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 101"):
            raise OSError(f"no upgrade: {head[:80]!r}")

    def receive(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise EOFError
        return data

    def read(self, count):
        while len(self.buffer) < count:
            self.buffer += self.receive()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def send(self, opcode, payload):
        length = len(payload)
        if length < 126:
            head = bytes([0x80 | opcode, 0x80 | length])
        elif length < 1 << 16:
            head = bytes([0x80 | opcode, 0x80 | 126]) + struct.pack("!H", length)
        else:
            head = bytes([0x80 | opcode, 0x80 | 127]) + struct.pack("!Q", length)
        self.socket.sendall(head + bytes(4) + payload)  # a mask of zeros is a mask

    def run(self, echo):
        """Reads messages until the connection ends, and returns them; echoes them if asked to."""
        messages = []
        try:
            self.read_messages(messages, echo)
        except ProtocolFailure as failure:
            self.finish(failure.code)
        except (EOFError, OSError):
            pass
        self.socket.close()
        return messages

    def read_messages(self, messages, echo):
        kind, parts, decoder = None, [], None
        while True:
            first, second = self.read(2)
            final, opcode, length = first & 0x80, first & 0x0F, second & 0x7F
            control = opcode >= CLOSE
            broken = first & 0x70 or second & 0x80 or opcode not in (CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG)
            if broken or (control and (not final or length > 125)):
                raise ProtocolFailure(1002)
            if not control and (opcode == CONTINUATION) != (kind is not None):
                raise ProtocolFailure(1002)
            if length == 126:
                (length,) = struct.unpack("!H", self.read(2))
            elif length == 127:
                (length,) = struct.unpack("!Q", self.read(8))
            if control:
                if self.answer_control(opcode, self.read(length)):
                    return
                continue
            if opcode != CONTINUATION:
                kind, parts = opcode, []
                checked = opcode == TEXT and self.bug != "utf8"
                decoder = codecs.getincrementaldecoder("utf-8")() if checked else None
            parts.append(self.read_payload(length, decoder, final))
            if final:
                message = b"".join(parts)
                messages.append(message)
                if echo:
                    self.send(kind, message)
                kind = None

    def read_payload(self, length, decoder, final):
        """Invalid UTF-8 is refused as soon as it comes, before the frame is complete."""
        payload = b""
        while len(payload) < length:
            if not self.buffer:
                self.buffer = self.receive()
            piece = self.read(min(len(self.buffer), length - len(payload)))
            payload += piece
            self.check_text(decoder, piece, False)
        self.check_text(decoder, b"", bool(final))
        return payload

    @staticmethod
    def check_text(decoder, data, final):
        try:
            if decoder is not None:
                decoder.decode(data, final)
        except UnicodeDecodeError:
            raise ProtocolFailure(1007) from None

    def answer_control(self, opcode, payload):
        """Whether that was the end."""
        if opcode == PING:
            self.send(PONG, payload)
        if opcode != CLOSE:
            return False
        code = 1000
        if len(payload) == 1:
            raise ProtocolFailure(1002)
        if payload:
            (code,) = struct.unpack("!H", payload[:2])
            if not (1000 <= code <= 1003 or 1007 <= code <= 1014 or 3000 <= code <= 4999):
                raise ProtocolFailure(1002)
            self.check_text(codecs.getincrementaldecoder("utf-8")(), payload[2:], True)
        if self.bug == "close-code":
            code = 1003 if code == 1001 else 1001
        self.finish(code)
        return True

    def finish(self, code):
        """Sends a close frame and waits for the server to end TCP, as RFC 6455 section 7.1.1 wants it."""
        self.socket.settimeout(3)
        with contextlib.suppress(OSError):
            self.send(CLOSE, struct.pack("!H", code))
            while self.socket.recv(1 << 16):
                pass


def main():
    parser = argparse.ArgumentParser(description="Small WebSocket client that shows that the gate can fail.")
    parser.add_argument("--url", required=True)
    parser.add_argument("--agent", required=True)
    parser.add_argument("--bug", choices=sorted(BUGS))
    options = parser.parse_args()
    count = int(Connection(options.url, "/getCaseCount").run(False)[0])
    for case in range(1, count if options.bug == "quits" else count + 1):
        Connection(options.url, f"/runCase?case={case}&agent={options.agent}", options.bug).run(True)
    Connection(options.url, f"/updateReports?agent={options.agent}").run(False)


if __name__ == "__main__":
    main()
