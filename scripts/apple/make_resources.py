#!/usr/bin/env python3
"""Makes a Swift resource directory with which the compiler type-checks for an Apple platform on Linux.

usage: make_resources.py PLATFORM OUTPUT

The toolchain's modules for Linux carry the same availability as Apple's. They are copied, and the name of the target in
each copy is replaced by one of the same length, so that the compiler accepts them for that target. Nothing that is
compiled so can be linked or run.
"""

import os
import shutil
import sys
from pathlib import Path

LINUX = "x86_64-unknown-linux-gnu"
# What the modules are labelled with, the folder they are looked for in, and their file name there.
PLATFORMS = {
    "iOS": ("arm64-apple-ios12.000000", "iphoneos", "arm64-apple-ios"),
    "macOS": ("arm64-apple-macosx11.000", "macosx", "arm64-apple-macos"),
    "tvOS": ("arm64-apple-tvos12.00000", "appletvos", "arm64-apple-tvos"),
    "watchOS": ("arm64-apple-watchos5.000", "watchos", "arm64-apple-watchos"),
    "visionOS": ("arm64-apple-xros1.000000", "xros", "arm64-apple-xros"),
}


def relabel(source, folder, name, label):
    old, new = LINUX.encode(), label.encode()
    assert len(old) == len(new), label
    for module in sorted((source / "linux").glob("*.swiftmodule")):
        binary = module / f"{LINUX}.swiftmodule"
        if not binary.exists():
            continue
        content = binary.read_bytes()
        if content.count(old) != 1:
            sys.exit(f"make_resources: {binary} names its target {content.count(old)} times, not once; this toolchain is too different")
        (folder / module.name).mkdir(parents=True)
        (folder / module.name / f"{name}.swiftmodule").write_bytes(content.replace(old, new))


def c_library(source, folder):
    """The map of the C library, with paths that hold in the copy, and without what needs headers that may be missing."""
    folder.mkdir()
    shutil.copy(source / "linux/x86_64/SwiftGlibc.h", folder)
    text = (source / "linux/x86_64/glibc.modulemap").read_text()
    text = text[: text.index("module CUUID")].replace('textual header "assert.h"', 'textual header "/usr/include/assert.h"')
    (folder / "glibc.modulemap").write_text(text)


def main():
    platform, output = sys.argv[1], Path(sys.argv[2])
    label, folder, name = PLATFORMS[platform]
    compiler = Path(os.path.realpath(shutil.which("swiftc")))
    source = compiler.parent.parent / "lib/swift"
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    for entry in source.iterdir():
        (output / entry.name).symlink_to(entry)
    relabel(source, output / folder, name, label)
    c_library(source, output / "glibcmap")


main()
