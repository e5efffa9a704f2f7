"""What the peer does with a socket, by its path.

Before the opening handshake is answered:
/status/CODE?retry-after=R&location=L   refuse with this HTTP status
/hang                     never answer
/slow?s=S                 answer after S seconds
/garbage                  answer with something that is not HTTP
/endless                  answer with response headers that never end
/half                     answer with half a status line, then end the connection
/bad-accept               101 with a wrong Sec-WebSocket-Accept
/bad-upgrade              101 without the Upgrade header
/bad-extension            101 with an extension nobody offered
/bad-subprotocol          101 with a subprotocol nobody offered

After it (?after=N waits for N messages first, ?wait=S for S seconds):
/close/CODE?reason=R      close with this code, legal or not
/empty-close              close frame without a code: the client sees 1005
/drop, /reset             end TCP without a close frame (FIN, RST): the client sees 1006
/linger                   close with 1000, then never end TCP (the client has to)
/early?text=T             a message in the same segment as the 101, then echo
/hello?text=T&close=CODE  a message on open, then close, or echo without ?close
/pinger?s=S&n=N           N pings S seconds apart; "pong" is sent for each answer, "no pong" for none within 5 s
/big/N                    a text and a binary message of N bytes each, then echo
/flood/N?size=S           N binary messages of S bytes as fast as the client reads them, then close 1000
/frag                     a text message in four fragments with a ping between them, then echo
/raw?hex=H                these bytes as they are
/badutf8, /badframe, /masked, /badopcode, /badclose   frames the client must refuse
/sink                     read and count, answer nothing
/stall                    do not even read, so that the client's writes back up
/echo, anything else      echo; ?subprotocol=P selects P
"""

import asyncio
import contextlib
import http
import socket
import struct
from urllib.parse import parse_qs, urlsplit

from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.frames import Close
from websockets.http11 import Response

BAD_FRAMES = {
    "badutf8": bytes([0x81, 0x02, 0xFF, 0xFE]),
    "badframe": bytes([0xA1, 0x02]) + b"hi",  # RSV2, which no extension uses
    "masked": bytes([0x81, 0x82, 1, 2, 3, 4, ord("h") ^ 1, ord("i") ^ 2]),
    "badopcode": bytes([0x83, 0x02]) + b"hi",
    "badclose": bytes([0x88, 0x01, 0x03]),  # a close payload of one byte
}


class Wish:
    """The path of a request, taken apart."""

    def __init__(self, path):
        parts = urlsplit(path)
        words = [word for word in parts.path.split("/") if word]
        self.name = words[0] if words else "echo"
        self.argument = words[1] if len(words) > 1 else ""
        self.query = {name: values[-1] for name, values in parse_qs(parts.query).items()}

    def number(self, default=0):
        return int(self.argument) if self.argument.isdigit() else default


# The opening handshake


async def answer_request(connection, request):
    """Returns the response that refuses the request, or None to go on."""
    wish = Wish(request.path)
    write = connection.transport.write
    match wish.name:
        case "status":
            return refusal(wish)
        case "hang":
            await connection.connection_lost_waiter
        case "slow":
            await asyncio.sleep(float(wish.query.get("s", 1)))
        case "garbage":
            write(b"\x00\x01\x02 this is not HTTP\r\n\r\n" * 8)
            connection.transport.close()
        case "half":
            write(b"HTTP/1.1 101 Swit")
            connection.transport.close()
        case "endless":
            write(b"HTTP/1.1 101 Switching Protocols\r\n")
            line = b"X-More: " + b"x" * 1000 + b"\r\n"
            for _ in range(64 * 1024):  # 64 MiB: more than any client should read
                if connection.transport.is_closing():
                    break
                write(line)
                await connection.drain()
            connection.transport.close()
        case "early":
            hold_segments(connection, True)
    return None


def refusal(wish):
    status = wish.number(503)
    body = b"refused on request\n"
    headers = Headers({"Content-Length": str(len(body)), "Content-Type": "text/plain", "Connection": "close"})
    for name, field in (("retry-after", "Retry-After"), ("location", "Location")):
        if name in wish.query:
            headers[field] = wish.query[name]
    try:
        phrase = http.HTTPStatus(status).phrase
    except ValueError:
        phrase = "Refused"
    return Response(status, phrase, headers, body)


def alter_response(connection, request, response):
    wish = Wish(request.path)
    if response.status_code != http.HTTPStatus.SWITCHING_PROTOCOLS:
        return None
    match wish.name:
        case "bad-accept":
            replace_header(response, "Sec-WebSocket-Accept", "AAAAAAAAAAAAAAAAAAAAAAAAAAA=")
        case "bad-upgrade":
            del response.headers["Upgrade"]
        case "bad-extension":
            replace_header(response, "Sec-WebSocket-Extensions", "x-nobody-offered")
        case "bad-subprotocol":
            replace_header(response, "Sec-WebSocket-Protocol", "nobody-offered")
    return response


def replace_header(response, name, value):
    with contextlib.suppress(KeyError):
        del response.headers[name]
    response.headers[name] = value


def select_subprotocol(connection, offered):
    wanted = Wish(connection.request.path).query.get("subprotocol")
    if wanted is not None:
        return wanted if wanted in offered else None
    return offered[0] if offered else None


# The open socket


async def behave(connection, received):
    wish = Wish(connection.request.path)
    if wish.name == "stall":
        connection.transport.pause_reading()
        await connection.wait_closed()
    for _ in range(int(wish.query.get("after", 0))):
        received(await connection.recv())
    await asyncio.sleep(float(wish.query.get("wait", 0)))
    match wish.name:
        case "close":
            await close(connection, wish.number(1000), wish.query.get("reason", ""))
        case "empty-close":
            async with connection.send_context():
                connection.protocol.send_close()
        case "linger":
            connection.lingers = True
            connection.close_timeout = None
            await connection.close(1000)
        case "drop":
            connection.transport.close()
        case "reset":
            reset(connection)
        case "early":
            await connection.send(wish.query.get("text", "early"))
            hold_segments(connection, False)
        case "hello":
            await connection.send(wish.query.get("text", "hello"))
            if "close" in wish.query:
                await close(connection, int(wish.query["close"]), wish.query.get("reason", ""))
        case "pinger":
            await ping(connection, int(wish.query.get("n", 1)), float(wish.query.get("s", 0)))
        case "big":
            await connection.send("x" * wish.number(1 << 20))
            await connection.send(b"y" * wish.number(1 << 20))
        case "flood":
            payload = b"f" * int(wish.query.get("size", 1024))
            for _ in range(wish.number(1000)):
                await connection.send(payload)
            await connection.close(1000)
        case "frag":
            await connection.send(fragments(connection))
        case "raw":
            connection.transport.write(bytes.fromhex(wish.query.get("hex", "")))
        case name if name in BAD_FRAMES:
            connection.transport.write(BAD_FRAMES[name])
        case _:
            pass
    async for message in connection:
        received(message)
        if wish.name != "sink":
            await connection.send(message)


async def close(connection, code, reason):
    try:
        Close(code, reason).check()
    except Exception:  # the library refuses to send it, which is the point of asking for it
        payload = struct.pack("!H", code) + reason.encode()
        connection.transport.write(bytes([0x88, len(payload)]) + payload)
    else:
        await connection.close(code, reason)


def reset(connection):
    linger_for_nothing = struct.pack("ii", 1, 0)
    connection.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_for_nothing)
    connection.transport.abort()


def hold_segments(connection, held):
    """Keeps what is written in one segment until released (Linux; elsewhere it may be sent in two)."""
    if hasattr(socket, "TCP_CORK"):
        plain = connection.transport.get_extra_info("socket")
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, int(held))


async def ping(connection, count, pause):
    for _ in range(count):
        pong = await connection.ping()
        try:
            await asyncio.wait_for(pong, 5)
            await connection.send("pong")
        except TimeoutError:
            await connection.send("no pong")
        except ConnectionClosed:
            return
        await asyncio.sleep(pause)


async def fragments(connection):
    for index in range(4):
        yield f"part {index};"
        connection.transport.write(bytes([0x89, 0x01, index]))
        await asyncio.sleep(0.01)
