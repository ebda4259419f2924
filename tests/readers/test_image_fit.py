"""Images that are, or are not, those of the traced program: all pairs of images and traces of the corpus
with the same machine, images with some changed instructions, moved images, and both byte
orders.

    tests/run.py image_fit
"""

import random
import re
import struct
from pathlib import Path

import pytest
import quick
import sframe_reader
from checker import Checker

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
PAIRS_MIN = 150
MISFIT = re.compile(r"does not fit( in part)? ?.*: (\d+) of (\d+) instructions differ \(first at 0x([0-9a-f]+): "
                    r"trace ([0-9a-f]+), image ([0-9a-f]+)\); (.*)")  # fmt: skip
TEXT = 0x10000  # the address of .text in A32 and T32 images


class Runner(Checker):
    def __init__(self, programs, directory):
        super().__init__(programs / "trawl")
        self.programs, self.directory = programs, directory

    def run(self, command, *words, program="trawl"):
        """(standard output, the messages that an image does not fit)."""
        line = [self.programs / program, *([command] if program == "trawl" else []), *words]
        done = quick.run([str(word) for word in line], timeout=60)
        assert done.returncode in (0, 3), f"{line}: {done.stderr.decode()}"
        said = [text for text in done.stderr.decode().splitlines() if "does not fit" in text]
        return done.stdout.decode(), said

    def profile(self, trace, image, *words):
        return self.run("profile", trace, "--memory-index", "--image", image, *words)


@pytest.fixture
def runner(programs, place):
    return Runner(programs, place)


def code_of(data):
    """Offset and size of .text in the file."""
    sections, _, _ = sframe_reader.elf_sections(data)
    return next((section[4], section[5]) for section in sections if section[0] == ".text")


def with_changed(image, path, share, seed=1):
    """The image with `share` of its words changed."""
    rng = random.Random(seed)
    data = bytearray(image.read_bytes())
    offset, size = code_of(data)
    for at in range(offset, offset + size - 3, 4):
        if rng.random() < share:
            data[at] ^= 0x41
    path.write_bytes(data)
    return path


def as_be32(image, path):
    """A BE8 image as older linkers made them: the most significant byte comes first in code, too."""
    data = bytearray(image.read_bytes())
    offset, size = code_of(data)
    (flags,) = struct.unpack_from(">I", data, 36)
    assert flags & 0x00800000
    struct.pack_into(">I", data, 36, flags & ~0x00800000)
    for at in range(offset, offset + size - 3, 4):
        data[at : at + 4] = data[at : at + 4][::-1]
    path.write_bytes(data)
    return path


def test_pairs(runner):
    pairs = 0
    images = {path.stem: path for path in sorted((CORPUS / "elf").glob("*.elf"))}
    for trace in sorted((CORPUS / "traces").glob("*.it.tarmac")):
        own = trace.name.split(".")[0]
        machine = own.rsplit("-")[-1]
        for name, image in images.items():
            # If two programs begin in the same way, the trace may contain little beyond their common part.
            if name != own and (name.rsplit("-")[-1] != machine or "cut" in (own[:3], name[:3])):
                continue
            _, said = runner.profile(trace, image)
            match = said and MISFIT.search(said[0])
            fits = name == own
            fault = "" if (not said if fits else match and not match[1] and "are not used" in match[7]) else said
            runner.no_fault(f"{trace.name}, {name}", fault if fits or said else "nothing is said")
            pairs += 1
    runner.no_fault("enough pairs", "" if pairs >= PAIRS_MIN else f"only {pairs}")


def test_words(runner):
    """The instructions that the message names are those in the image and in the trace."""
    trace, image = CORPUS / "traces" / "sort-a32.it.tarmac", CORPUS / "elf" / "sort-t32.elf"
    said = MISFIT.search(runner.profile(trace, image)[1][0])
    address, data = int(said[4], 16), image.read_bytes()
    at = code_of(data)[0] + address - TEXT
    runner.no_fault("the image's instruction", "" if int(said[6], 16) == struct.unpack_from("<I", data, at)[0] else said[0])
    runner.no_fault("the trace's instruction", "" if f"{address:08x} {said[5]}" in trace.read_text() else said[0])


def test_changed(runner):
    trace, image = CORPUS / "traces" / "sort-a64.it.tarmac", CORPUS / "elf" / "sort-a64.elf"
    path = runner.directory / "changed.elf"
    plain = runner.profile(trace, image)[0]
    for share, word in ((0.05, None), (0.15, None), (0.4, "may be wrong"), (0.7, "are not used")):
        text, said = runner.profile(trace, with_changed(image, path, share))
        fault = (said if word is None else not said or word not in said[0]) or (text == plain) == (word == "are not used")
        runner.no_fault(f"{share:.0%} of the instructions changed", fault)
    with_changed(image, path, 0.7)
    forced, said = runner.profile(trace, path, "--force-image")
    runner.no_fault("--force-image", said or forced != plain)
    both, said = runner.profile(trace, path, "--image", image)
    runner.no_fault("the other image is used", len(said) != 1 or both != plain)
    both, said = runner.profile(trace, path, "--image", with_changed(image, runner.directory / "also.elf", 0.9, seed=2))
    runner.no_fault("both are left out", len(said) != 2 or "sift_down" in both)


def test_moved(runner):
    trace, image = CORPUS / "traces" / "sort-a64.it.tarmac", CORPUS / "elf" / "sort-a64.elf"
    for offset in (-0x40, 0x40, 4):
        runner.no_fault(f"moved by {offset}", not runner.profile(trace, image, f"--load-offset={offset}")[1])
    runner.no_fault("moved out of sight", runner.profile(trace, image, "--load-offset=0x100000")[1])
    moved = runner.directory / "moved.tarmac"
    text = re.sub(r"\b0008([0-9a-f]{4}) ([0-9a-f]{8}) O", r"0108\1 \2 O", trace.read_text())
    moved.write_text(text)
    names = runner.profile(moved, f"{image}@0x1000000")
    runner.no_fault("a trace that was moved", names[1] or "sift_down" not in names[0])
    runner.no_fault("moved wrongly", not runner.profile(moved, f"{image}@0xffffc0")[1])


def test_byte_orders(runner):
    be8 = CORPUS / "elf" / "sort-a32be.elf"
    for style in ("it", "es"):
        trace = CORPUS / "traces" / f"sort-a32be.{style}.tarmac"
        runner.no_fault(f"BE8, {style}", runner.profile(trace, be8)[1])
        runner.no_fault(f"BE32, {style}", runner.profile(trace, as_be32(be8, runner.directory / "be32.elf"))[1])


def test_commands(runner):
    trace, wrong = CORPUS / "traces" / "sort-a64.it.tarmac", CORPUS / "elf" / "hash-a64.elf"
    own = runner.directory / "own.tarmac"
    own.write_bytes(trace.read_bytes())
    for command, *words in (("profile",), ("calltree",), ("flamegraph",), ("state", "--at", "end"), ("stack",), ("index",),
                            ("info",), ("pc", "0x80610"), ("vcd", "-o", "/dev/null")):  # fmt: skip
        text, said = runner.run(command, own, "--image", wrong, *words)
        fault = len(said) != 1 or "crc32" in text
        runner.no_fault(f"{command} says it once", fault and (said, text[:200]))
    text, said = runner.run("profile", own)
    runner.no_fault("an index keeps no names of it", said or "crc32" in text)
    text, said = runner.run("profile", trace, "--image", wrong, program="tarmac-profile")
    runner.no_fault("under the tarmac-* names nothing changes", said or "crc32" not in text)



