"""Floating-point numbers of 16 bytes in trace files: quadruple precision (AArch64, __float128), pairs of doubles (PowerPC) and the 80 bits of
x86, compared with the answers of GDB 13.1 for the same bytes, and random ones with exact decimal arithmetic.

    tests/run.py tfile_floats

The programs are of corpus/tfile/programs/floats.c. tests/recorded/floats has what gdb-multiarch prints for numbers, others, wave and holder.
"""

import decimal
import json
import random
import struct
from decimal import Decimal
from pathlib import Path

import pytest
import quick

TESTS = Path(__file__).resolve().parents[1]
CORPUS = TESTS.parent / "corpus" / "tfile"
NAMES = ["floats-a64", "floats-ppc64le", "floats-ppc64le-ieee", "floats-x86-64"]
COLUMNS = ["numbers", "others", "wave", "holder"]
TIMEOUT_S = 60
COUNT = 22  # of numbers
NOBITS = 8
decimal.getcontext().prec = 20000
decimal.getcontext().Emax, decimal.getcontext().Emin = decimal.MAX_EMAX, decimal.MIN_EMIN


def sections(elf):
    """{name: (address, bytes)} of a 64-bit little-endian file."""
    start, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<3H", elf, 58)
    headers = [struct.unpack_from("<2I4Q", elf, start + size * number) for number in range(count)]
    text = headers[names][4]
    return {elf[text + header[0] : elf.index(0, text + header[0])].decode():
            (header[3], bytes(header[5]) if header[1] == NOBITS else elf[header[4] : header[4] + header[5]]) for header in headers}


def write(path, image, data=b"", names=(".data",)):
    """A trace file of one frame, which has these sections of the program; the first one begins with `data`."""
    of = sections(image.read_bytes())
    blocks, pc = b"", of[".text"][0]
    for name in names:
        address, own = of[name]
        blocks += b"M" + struct.pack("<QH", address, len(own)) + data + own[len(data):]
        data = b""
    path.write_bytes(b"\x7fTRACE0\nR 8\nstatus 0;tstop:0;tframes:1\ntp T1:%x:E:0:0\n\n" % pc + struct.pack("<HI", 1, len(blocks)) + blocks +
                     b"\0\0")
    return path


@pytest.fixture
def values(trawl):
    def read(path, image, columns):
        done = quick.run([trawl, "tfile", "series", "--image", image, "--format", "json", path, *columns], timeout=TIMEOUT_S)
        assert done.returncode == 0, done
        row = json.loads(done.stdout)[0]
        return [str(row[column]) for column in columns]

    return read


@pytest.mark.parametrize("name", NAMES)
def test_as_gdb(values, place, name):
    image = CORPUS / f"{name}.elf"
    assert values(write(place / "trace.tf", image), image, COLUMNS) == (TESTS / "recorded" / "floats" / f"{name}.txt").read_text().splitlines()


def shown(number, digits):
    """As "%.*g" of C, rounded once from the exact value."""
    if not number:
        return "-0" if number.is_signed() else "0"
    rounded = decimal.Context(prec=digits, rounding=decimal.ROUND_HALF_EVEN, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN).plus(number)
    exponent = rounded.adjusted()
    if -4 <= exponent < digits:
        text = f"{rounded:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    sign, places, _ = rounded.as_tuple()
    places = "".join(map(str, places)).rstrip("0")
    return "%s%s%se%+03d" % ("-" if sign else "", places[0], "." + places[1:] if places[1:] else "", exponent)


def quad(bits):
    exponent, mantissa = bits >> 112 & 0x7FFF, bits & ((1 << 112) - 1)
    if exponent == 0x7FFF:
        return ("-" if bits >> 127 else "") + (f"nan(0x{mantissa:x})" if mantissa else "inf")
    power = max(exponent, 1) - 16383 - 112
    number = Decimal(mantissa | ((1 << 112) if exponent else 0)) * Decimal(2) ** power
    return shown(number.copy_negate() if bits >> 127 else number, 36)


def random_quad(draw):
    kind = draw.randrange(4)
    if kind == 0:
        return draw.getrandbits(128)
    exponent = 0 if kind == 1 else 16383 + draw.randrange(-150, 150)
    return draw.getrandbits(1) << 127 | exponent << 112 | draw.getrandbits(112) & ~((1 << draw.randrange(113)) - 1)


def random_pair(draw):
    first = struct.unpack("<d", struct.pack("<Q", draw.getrandbits(1) << 63 | draw.randrange(1, 2046) << 52 | draw.getrandbits(52)))[0]
    second = first * 2.0 ** -draw.randrange(54, 120) * draw.uniform(-1, 1)
    return first, second


@pytest.mark.parametrize("seed", range(6))
def test_exact(values, place, seed):
    draw = random.Random(seed)
    image = CORPUS / "floats-a64.elf"
    numbers = [random_quad(draw) for _ in range(COUNT)]
    path = write(place / "quad.tf", image, b"".join(number.to_bytes(16, "little") for number in numbers))
    assert values(path, image, ["numbers"]) == ["{" + ", ".join(map(quad, numbers)) + "}"]
    image = CORPUS / "floats-ppc64le.elf"
    pairs = [random_pair(draw) for _ in range(COUNT)]
    path = write(place / "pair.tf", image, b"".join(struct.pack("<2d", *pair) for pair in pairs))
    assert values(path, image, ["numbers"]) == ["{" + ", ".join(shown(Decimal(first) + Decimal(second), 33) for first, second in pairs) + "}"]


def test_no_pair(values, place):
    """A pair of which the second is larger is none."""
    image = CORPUS / "floats-ppc64le.elf"
    path = write(place / "pair.tf", image, struct.pack("<2d", 1.0, 3.0))
    assert values(path, image, ["numbers[0]", "numbers[1]"])[0] == "None"
