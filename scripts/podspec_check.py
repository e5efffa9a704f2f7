#!/usr/bin/env python3
"""Checks that SteadySocket.podspec says what Package.swift and the sources say.

usage: podspec_check.py [--selftest]

Deployment targets, the folders of the sources, the frameworks, and the version of the changelog. --selftest shows that a
difference in each is seen.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = "SteadySocket"
# The podspec's word for each platform, and the frameworks of ours that it has.
PLATFORMS = {
    "ios": ("ios", {"Network", "Security", "UIKit"}),
    "macos": ("osx", {"AppKit", "Network", "Security"}),
    "tvos": ("tvos", {"Network", "Security", "UIKit"}),
    "watchos": ("watchos", {"Network", "Security", "UIKit", "WatchKit"}),
    "visionos": ("visionos", {"Network", "Security", "UIKit"}),
}
FRAMEWORK = re.compile(r"^\s*(?:public |package )?import (AppKit|Network|Security|UIKit|WatchKit)$", re.MULTILINE)


def package():
    dump = subprocess.run(
        ["swift", "package", "dump-package"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(dump.stdout)


def dependencies(target):
    """The targets that a target needs on Apple platforms."""
    for dependency in target["dependencies"]:
        name, condition = (dependency.get("target") or dependency.get("byName"))[:2]
        if not condition or condition["platformNames"] != ["linux"]:
            yield name


def needed(manifest):
    targets = {target["name"]: target for target in manifest["targets"]}
    found, waiting = set(), [PRODUCT]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += dependencies(targets[name])
    return found


def quoted(text):
    return re.findall(r"'([^']*)'", text)


def problems(podspec, manifest, changelog):
    for platform in manifest["platforms"]:
        word, _ = PLATFORMS[platform["platformName"]]
        stated = re.search(rf"s\.{word}\.deployment_target = '([\d.]+)'", podspec)
        if not stated or stated[1] != platform["version"]:
            yield f"{word}: deployment target {stated and stated[1]}, but Package.swift says {platform['version']}"
    folders = sorted(needed(manifest))
    listed = re.search(r"s\.source_files =((?:\s*'[^']*',?)+)", podspec)
    wanted = [f"Sources/{name}/**/*.swift" for name in folders]
    if not listed or sorted(quoted(listed[1])) != wanted:
        yield f"source_files must be {wanted}"
    used = {name for folder in folders for path in (ROOT / "Sources" / folder).rglob("*.swift")
            for name in FRAMEWORK.findall(path.read_text())}
    for word, there in PLATFORMS.values():
        stated = re.search(rf"s\.{word}\.frameworks = (.*)", podspec)
        if set(quoted(stated[1]) if stated else []) != used & there:
            yield f"{word}: frameworks must be {sorted(used & there)}"
    version = re.search(r"s\.version = '([^']*)'", podspec)
    released = re.search(r"^## \[.*?(\d+\.\d+\.\d+)", changelog, re.MULTILINE)
    if not version or not released or version[1] != released[1]:
        yield f"version {version and version[1]}, but the newest in CHANGELOG.md is {released and released[1]}"


def selftest(podspec, manifest, changelog):
    plants = [
        ("ios.deployment_target = '16.0'", "ios.deployment_target = '15.0'"),
        ("    'Sources/ConnectionCore/**/*.swift',\n", ""),
        ("s.osx.frameworks = 'AppKit', ", "s.osx.frameworks = "),
        (" 'WatchKit'", " 'WatchKit', 'HealthKit'"),
        ("s.version = '", "s.version = '9."),
    ]
    missed = 0
    for old, new in plants:
        if podspec.count(old) != 1 or not list(problems(podspec.replace(old, new), manifest, changelog)):
            print(f"podspec_check: nothing said about {new!r} in the place of {old!r}")
            missed += 1
    return missed


def main():
    podspec = (ROOT / f"{PRODUCT}.podspec").read_text()
    arguments = (podspec, package(), (ROOT / "CHANGELOG.md").read_text())
    if sys.argv[1:] == ["--selftest"]:
        sys.exit(1 if selftest(*arguments) else 0)
    found = list(problems(*arguments))
    for problem in found:
        print(f"{PRODUCT}.podspec: {problem}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
