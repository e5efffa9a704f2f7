"""Runs the benchmarks and compares them with their targets. Use scripts/bench, which builds them first."""

import argparse
import contextlib
import json
import os
import pathlib
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass

HERE = pathlib.Path(__file__).resolve().parent
PARTS = ("machine", "echo", "open", "idle", "fleet")
SOCKETS = 10_000


class BenchError(Exception):
    """A benchmark could not be run; the message says why."""


@dataclass
class Row:
    """One line of the table. Without a target it only informs."""

    part: str
    what: str
    value: float
    unit: str
    detail: str = ""
    target: float | None = None
    at_least: bool = False
    met: bool | None = None

    def __post_init__(self) -> None:
        if self.target is not None:
            self.met = self.value >= self.target if self.at_least else self.value <= self.target


class Bench:
    """Where the programs are, and how often each measurement is repeated."""

    def __init__(self, binaries: pathlib.Path, repeats: int) -> None:
        self.binaries = binaries
        self.repeats = repeats

    def run(self, program: str | pathlib.Path, *arguments: object) -> list[dict]:
        """Runs a program to its end and returns the JSON objects it printed."""
        command = [str(program), *map(str, arguments)]
        # SocketBench gives up by itself after 300 s without progress.
        ended = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
        if ended.returncode != 0:
            raise BenchError(f"{pathlib.Path(command[0]).name} ended with {ended.returncode}: {ended.stderr.strip()}")
        return [json.loads(line) for line in ended.stdout.splitlines()]

    def sockets(self, *arguments: object) -> dict:
        return self.run(self.binaries / "SocketBench", *arguments)[0]

    @contextlib.contextmanager
    def server(self):
        """`steady serve` in a process of its own; yields its URL. All sockets must have been closed with 1000."""
        with tempfile.NamedTemporaryFile("w+") as output:
            command = [self.binaries / "steady", "serve", "--port", "0", "--json"]
            process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
            try:
                yield listening_url(process, pathlib.Path(output.name))
            finally:
                process.terminate()
                try:
                    process.wait(timeout=60)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
            codes = json.loads(pathlib.Path(output.name).read_text().splitlines()[-1])["closeCodes"]
            if set(codes) != {"1000"}:
                raise BenchError(f"the server saw other closes than 1000, so the run counts for nothing: {codes}")


def listening_url(process: subprocess.Popen, output: pathlib.Path) -> str:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        first, newline, _ = output.read_text().partition("\n")
        if newline:
            return json.loads(first)["url"]
        time.sleep(0.02)
    raise BenchError(f"steady serve did not start: {output.read_text().strip()}")


def machine(bench: Bench) -> list[Row]:
    runs = [bench.run(bench.binaries / "MachineBench") for _ in range(bench.repeats)]
    rows = []
    for samples in zip(*runs):
        name = samples[0]["scenario"]
        cost = statistics.median(sample["nanosecondsPerEvent"] for sample in samples)
        allocations = max(sample["allocations"] / sample["events"] for sample in samples)
        rows.append(Row("machine", f"{name}: CPU per event", cost, "ns", target=200))
        rows.append(Row("machine", f"{name}: heap allocations per event", allocations, "", target=0))
    return rows


def echo(bench: Bench) -> list[Row]:
    rows = []
    python = (sys.executable, HERE / "echo_client.py")
    for size, window, count, target in ((64, 64, 50_000, 2.5), (65_536, 8, 5_000, 0.5)):
        pairs = []
        with bench.server() as url:
            for _ in range(bench.repeats):
                ours = bench.sockets("echo", url, size, window, count)["messagesPerSecond"]
                theirs = bench.run(*python, url, size, window, count)[0]["messagesPerSecond"]
                pairs.append((ours / theirs, ours, theirs))
        ratio, ours, theirs = (statistics.median(column) for column in zip(*pairs))
        name = f"{size} B x window {window}: CurlTransport to python websockets"
        detail = f"{ours:,.0f} and {theirs:,.0f} messages/s"
        rows.append(Row("echo", name, ratio, "x", detail, target=target, at_least=True))
    return rows


def opening(bench: Bench) -> list[Row]:
    counts = (SOCKETS // 4, SOCKETS // 2, SOCKETS)
    samples: dict[int, list[float]] = {count: [] for count in counts}
    with bench.server() as url:
        for _ in range(bench.repeats):
            for count in counts:
                samples[count].append(bench.sockets("open", url, count)["seconds"])
    medians = {count: statistics.median(values) for count, values in samples.items()}
    rows = [
        Row("open", f"{count:,} sockets", taken, "s", f"{taken / count * 1e6:,.0f} us each")
        for count, taken in medians.items()
    ]
    # 1 is linear; with quadratic growth a socket would take 4 times as long.
    growth = (medians[counts[-1]] / counts[-1]) / (medians[counts[0]] / counts[0])
    name = f"time per socket, {counts[-1]:,} to {counts[0]:,} sockets"
    return [*rows, Row("open", name, growth, "x", target=1.5)]


def idle(bench: Bench) -> list[Row]:
    samples = []
    for _ in range(bench.repeats):
        with bench.server() as url:
            samples.append(bench.sockets("idle", url, SOCKETS, 45))

    def median(key: str) -> float:
        return statistics.median(sample[key] for sample in samples)

    return [
        Row("idle", "resident memory per socket", median("bytesPerSocket") / 1024, "KiB", target=20),
        Row(
            "idle", f"CPU of {SOCKETS:,} sockets, a ping each 40 s", median("coreShare") * 100, "% of a core",
            f"{samples[0]['pings']:,} pings answered in 45 s, those due every 0.1 s at once", target=1.5),
        Row("idle", "the same, every ping by itself", median("coreShareOneByOne") * 100, "% of a core"),
    ]


def costs(command: list[str]) -> tuple[dict, float, float, int]:
    """Runs a program; returns the JSON object it printed, its wall and CPU seconds and its peak memory in bytes."""
    start = time.monotonic()
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as complaints:
        process = subprocess.Popen(command, stdout=output, stderr=complaints)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        complaints.seek(0)
        if process.returncode != 0:
            raise BenchError(f"{' '.join(command[1:])} ended with {process.returncode}: {complaints.read().strip()}")
        return json.loads(output.read()), wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


# Attempts per client, attempts in the worst second and t99 of a storm of a million clients at 10,000 per second, as
# models that share no code with the simulator have them.
STORMS = {"standard": (5.5, 970_000, 237), "storm-safe": (4.5, 354_000, 118), "old": (16.5, 999_000, 178)}


@dataclass
class Cost:
    """What a `steady fleet` command printed and cost: medians over the repeats, and its cost over a bare queue's."""

    result: dict
    wall: float
    cpu: float
    memory: float
    to_bare: float

    @property
    def rate(self) -> float:
        """Machine events per second of CPU, in millions."""
        return self.result["events"] / self.cpu / 1e6


def fleet(bench: Bench) -> list[Row]:
    def measured(*arguments: str) -> tuple[dict, float, float, float]:
        runs = [costs([str(bench.binaries / "steady"), "fleet", *arguments, "--json"]) for _ in range(bench.repeats)]
        wall, cpu, memory = (statistics.median(run[index] for run in runs) for index in (1, 2, 3))
        return runs[0][0], wall, cpu, memory

    moved, _, taken, _ = measured("queue")
    bare = moved["events"] / taken

    def cost(*arguments: str) -> Cost:
        result, wall, cpu, memory = measured(*arguments)
        return Cost(result, wall, cpu, memory, cpu * bare / result["queueEvents"])

    def rate(name: str, measured: Cost, target: float | None = None) -> Row:
        detail = f"CPU {measured.to_bare:.2g} x a bare queue's for the same events"
        return Row("fleet", f"{name}: machine events per core", measured.rate, "M/s", detail, target, at_least=True)

    rows = [Row("fleet", "bare queue: events per core", bare / 1e6, "M/s")]
    for policy, expected in STORMS.items():
        storm = cost("storm", "--policy", policy, "--clients", "1000000")
        found = (storm.result["attemptsPerClient"], storm.result["peakPerSecond"], storm.result["t99"])
        deviation = max(abs(value / right - 1) for value, right in zip(found, expected)) * 100
        name = f"storm of 1,000,000, {policy}"
        queue = storm.result["queueEvents"] / bare
        rows += [
            Row("fleet", f"{name}: wall", storm.wall, "s", f"{storm.wall / queue:.2g} x a bare queue's", target=15),
            Row("fleet", f"{name}: peak memory", storm.memory / 2**20, "MiB", target=1024),
            Row("fleet", f"{name}: peak memory per client", storm.memory / 1_000_000, "B", target=512),
            Row(
                "fleet", f"{name}: off the independent model", deviation, "%",
                "attempts {:.2f}, peak {:,}/s, t99 {:.0f} s".format(*found), target=5),
        ]
    day = cost("day", "--users", "100000")
    queue = day.result["queueEvents"] / bare
    rows += [
        Row("fleet", "day of 100,000: wall", day.wall, "s", f"{day.wall / queue:.2g} x a bare queue's", target=30),
        # On one thread, as threads that wait for each other use CPU time, too.
        rate("storm, standard", cost("storm", "--clients", "1000000", "--threads", "1"), target=5),
        rate("storm, storm-safe", cost("storm", "--policy", "storm-safe", "--threads", "1"), target=5),
        rate("day", cost("day", "--threads", "1"), target=5),
        # Says how much of the rest is waiting for memory.
        rate("crash loop of 2,000, which fit the cache", cost("crashloop", "--clients", "2000", "--threads", "1")),
    ]
    return rows


RUNNERS = {"machine": machine, "echo": echo, "open": opening, "idle": idle, "fleet": fleet}


def raise_descriptor_limit() -> int:
    """Lifts the soft limit for the server and the clients to the hard one, which is returned."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def number(value: float) -> str:
    if value == int(value) and abs(value) < 1e6:
        return f"{value:.0f}"
    return f"{value:.3g}" if abs(value) < 100 else f"{value:,.0f}"


def table(rows: list[Row]) -> str:
    lines = [("", "what", "measured", "target", "verdict", "")]
    for row in rows:
        sign = ">=" if row.at_least else "<="
        target = "" if row.target is None else f"{sign} {number(row.target)} {row.unit}".rstrip()
        verdict = {None: "", True: "met", False: "MISSED"}[row.met]
        lines.append((row.part, row.what, f"{number(row.value)} {row.unit}".rstrip(), target, verdict, row.detail))
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description="Runs the benchmarks and compares them with their targets.",
        epilog="Exit code: 0 all targets met, 1 one missed, 2 could not be run.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; default all")
    parser.add_argument("--repeats", type=int, default=3, help="runs per measurement, of which the median counts")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    parser.add_argument("--binaries", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    for part in arguments.parts:
        if part not in PARTS:
            parser.error(f"unknown part {part!r}; choose from {', '.join(PARTS)}")
    if arguments.repeats < 1:
        parser.error("--repeats must be at least 1")
    parts = arguments.parts or PARTS
    limit = raise_descriptor_limit()
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    rows: list[Row] = []
    try:
        if {"open", "idle"} & set(parts) and limit < SOCKETS + 200:
            raise BenchError(f"the hard limit of descriptors is {limit}; {SOCKETS + 200} are needed (ulimit -Hn)")
        for part in parts:
            print(f"bench: {part}", file=sys.stderr)
            rows += RUNNERS[part](Bench(arguments.binaries, arguments.repeats))
    except BenchError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    met = all(row.met is not False for row in rows)
    host = {
        "system": platform.platform(), "cores": cores, "loadAtStart": load, "loadAtEnd": os.getloadavg()[0],
        "descriptorLimit": limit, "repeats": arguments.repeats,
    }
    if arguments.json:
        print(json.dumps({"met": met, "host": host, "rows": [asdict(row) for row in rows]}))
    else:
        print(table(rows))
        print(
            f"\nmedian of {arguments.repeats}; {cores} cores, load {load:.1f} at the start and "
            f"{host['loadAtEnd']:.1f} at the end, {limit:,} descriptors at most")
        if load > cores:
            print("Others used this machine at the same time; its own figures would be better.")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
