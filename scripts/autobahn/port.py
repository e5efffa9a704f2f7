#!/usr/bin/env python3
"""Makes a Python 3 copy of the Autobahn fuzzing server.

usage: port.py TESTSUITE ENGINE DESTINATION
TESTSUITE and ENGINE are the unpacked sources of autobahntestsuite 25.10.1 and autobahn 0.10.9.

A Python 2 `str` becomes `bytes`, or a `str` whose characters are bytes (Latin-1); whatever reaches the wire or is compared
goes through octets(). The bulk is done by fissix, the maintained copy of lib2to3.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

MODULES = ("caseset.py", "fuzzing.py", "report.py", "spectemplate.py")

SUPPORT = '''\
"""What the port needs: Python 2 strings, comparisons and package resources."""
import binascii
import os


def octets(value):
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, int):
        return bytes([value])
    return value.encode("latin-1")


def hexadecimal(value):
    return binascii.b2a_hex(octets(value)).decode("ascii")


def comparable(value):
    """The structure with every string as bytes."""
    if isinstance(value, (list, tuple)):
        return tuple(comparable(item) for item in value)
    return value.encode("latin-1") if isinstance(value, str) else value


def resource_filename(package, name):
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), name)


def jsonable(value):
    if isinstance(value, (bytes, bytearray)):
        return loggable(bytes(value), 10**9)
    raise TypeError(repr(value))


def loggable(data, longest=64, replace=False):
    """Data as text for a report, shortened."""
    more = b" ..."
    data = octets(data)
    shown = data[:longest] + more if len(data) > longest - len(more) else data
    try:
        return shown.decode("utf8", errors="replace" if replace else "strict")
    except UnicodeDecodeError:
        return "0x" + hexadecimal(data[:longest])
'''

# The protocol engine wants bytes where the cases have Latin-1 strings.
SENDING = '''
   def sendFrame(self, opcode, payload = b"", fin = True, rsv = 0, mask = None, payload_len = None, chopsize = None, sync = False):
      return self.ENGINE.sendFrame(self, opcode, octets(payload), fin, rsv, mask, payload_len, chopsize, sync)

   def sendMessage(self, payload, isBinary = False, fragmentSize = None, sync = False, doNotCompress = False):
      return self.ENGINE.sendMessage(self, octets(payload), isBinary, fragmentSize, sync, doNotCompress)

   def sendMessageFrameData(self, payload, sync = False):
      return self.ENGINE.sendMessageFrameData(self, octets(payload), sync)

   def sendPing(self, payload = None):
      return self.ENGINE.sendPing(self, octets(payload))

   def sendPong(self, payload = None):
      return self.ENGINE.sendPong(self, octets(payload))

   def sendCloseFrame(self, code = None, reasonUtf8 = None, isReply = False):
      return self.ENGINE.sendCloseFrame(self, code, octets(reasonUtf8), isReply)
'''


def main():
    testsuite, engine, destination = map(Path, sys.argv[1:4])
    if destination.exists():
        shutil.rmtree(destination)
    package = destination / "autobahntestsuite"
    package.mkdir(parents=True)
    for name in MODULES:
        shutil.copy(testsuite / "autobahntestsuite" / name, package / name)
    for name in ("case", "testdata"):
        shutil.copytree(testsuite / "autobahntestsuite" / name, package / name)
    (package / "__init__.py").write_text('__version__ = version = "25.10.1"\n')
    (package / "port_support.py").write_text(SUPPORT)
    shutil.copytree(engine / "autobahn", destination / "autobahn")

    translate(package)
    port_cases(package / "case")
    port_server(package / "fuzzing.py")
    port_rest(package, destination / "autobahn")


def translate(package):
    command = [sys.executable, "-W", "ignore", "-m", "fissix", "-w", "-n", "case", *MODULES]
    done = subprocess.run(command, cwd=package, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"fissix failed:\n{done.stdout[-2000:]}")


def substitute(path, *substitutions):
    """Each is (old, new) or (old, new, count); the old text must be there, and so many times if a count is given."""
    text = path.read_text(encoding="utf-8")
    for old, new, *counts in substitutions:
        found = text.count(old)
        if found == 0 or (counts and found != counts[0]):
            sys.exit(f"{path.name}: found {old!r} {found} times; these are not the pinned sources")
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


def port_cases(cases):
    for path in sorted(cases.glob("*.py")):
        before = text = path.read_text(encoding="utf-8")
        text = text.replace("(object, Case, )", "(Case, )")
        text = re.sub(r"binascii\.(b2a_hex|hexlify)\(", "hexadecimal(", text)
        if "hexadecimal(" in text:
            support = r"\1\nfrom autobahntestsuite.port_support import hexadecimal"
            text = re.sub(r"^(import .*\bbinascii\b.*)$", support, text, count=1, flags=re.M)
        # Literals with characters beyond ASCII were UTF-8 byte strings.
        literal = r'^(\s*PAYLOAD\d?\s*=\s*)("[^"\n]*[^\x00-\x7f][^"\n]*")\s*$'
        text = re.sub(literal, r'\1\2.encode("utf-8")', text, flags=re.M)
        if text != before:
            path.write_text(text, encoding="utf-8")
    substitute(
        cases / "case.py",
        ("pickle.dumps(obj1) == pickle.dumps(obj2)", "comparable(obj1) == comparable(obj2)", 1),
        ("import pickle", "from autobahntestsuite.port_support import comparable", 1),
    )
    substitute(cases / "case10_1_1.py", ("len(self.payload) / self.p", "len(self.payload) // self.p", 1))
    substitute(
        cases / "case6_x_x.py",
        ("res = v.validate(vss[:i])", "res = v.validate(octets(vss[:i]))", 1),
        ("hexadecimal\n", "hexadecimal, octets\n", 1),
    )
    substitute(
        cases / "case12_x_x.py",
        ("copy, os, pkg_resources, hashlib", "copy, os, hashlib", 1),
        ("hexadecimal\n", "hexadecimal\nfrom autobahntestsuite import port_support as pkg_resources\n", 1),
        ("msg = ''", "msg = '' if not self.TESTDATA['binary'] else b''", 1),
    )
    # Upstream does not list this case either.
    substitute(cases / "__init__.py", ("from .case9_9_1 import *", "", 1))
    (cases / "case9_9_1.py").unlink()


def port_server(path):
    text = path.read_text(encoding="utf-8")
    start, end = text.find("def asciiLogData"), text.find("class FuzzingProtocol")
    if not 0 < start < end:
        sys.exit(f"{path.name}: not the pinned source")
    path.write_text(text[:start] + "from .port_support import loggable as asciiLogData\n\n\n" + text[end:], encoding="utf-8")
    optional_tls = "from twisted.internet import reactor\nssl = None"
    substitute(
        path,
        ("textwrap, pkg_resources", "textwrap", 1),
        (
            "from autobahn.util import utcnow",
            "from autobahn.util import utcnow\nfrom . import port_support as pkg_resources\n"
            "from .port_support import hexadecimal, jsonable, octets",
            1,
        ),
        ("from twisted.internet import reactor, ssl", optional_tls, 1),
        ("binascii.b2a_hex(", "hexadecimal("),
        ("p = ''.join(payload)", "p = b''.join(payload)"),
        ("   MAX_WIRE_LOG_DATA = 256\n", "   MAX_WIRE_LOG_DATA = 256\n" + SENDING, 1),
        (
            "class FuzzingServerProtocol(FuzzingProtocol, WebSocketServerProtocol):\n",
            "class FuzzingServerProtocol(FuzzingProtocol, WebSocketServerProtocol):\n\n   ENGINE = WebSocketServerProtocol\n",
            1,
        ),
        (", 'w')", ", 'w', encoding = 'utf-8')"),
        ("ll.encode('utf8')", "ll"),
        (').encode("utf-8"))', "))"),
        ("f.write(json.dumps(", "f.write(json.dumps(default = jsonable, obj = "),
        ("obj = json.loads(msg)", "obj = json.loads(msg.decode('utf8'))", 1),
        ('"Pong received: " + payload', '"Pong received: " + repr(payload)', 1),
    )
    for field in ("httpRequest", "httpResponse"):
        substitute(path, (f'case["{field}"].strip()', f'asciiLogData(case["{field}"], 10**9, True).strip()'))


def port_rest(package, engine):
    substitute(package / "caseset.py", ("'\\.'", "r'\\.'"))
    # HTML reports need a template engine; the JSON ones are all we read.
    report = package / "report.py"
    text = report.read_text(encoding="utf-8")
    text = text[: text.index("REPORT_DIR_PERMISSIONS")]
    report.write_text(text, encoding="utf-8")
    substitute(report, ("import jinja2\n", "", 1), ('           "HtmlReport")', "           )", 1))
    division = ("range(payload_len / len(payload))", "range(payload_len // len(payload))", 1)
    substitute(engine / "websocket" / "protocol.py", division)


if __name__ == "__main__":
    main()
