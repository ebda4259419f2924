"""Input that is made to be slow, and its parts; for tests and for tests/faults/growth.py."""

import random
import struct

# Of the multiplicative hash that tables had before they were seeded: an odd constant; the bits of the product that selected a slot.
CONSTANT = 0x9E3779B97F4A7C15
INVERSE = pow(CONSTANT, -1, 1 << 64)
SLOT_BITS_FROM, SLOT_BITS_TO = 32, 52


def colliding_addresses(count):
    """Addresses whose products with the constant are equal in all bits that selected a slot."""
    drawn = random.Random(10)
    addresses = set()
    while len(addresses) < count:
        product = drawn.getrandbits(64 - SLOT_BITS_TO) << SLOT_BITS_TO | drawn.getrandbits(SLOT_BITS_FROM)
        address = product * INVERSE % (1 << 64)
        if address % 4 == 0:
            addresses.add(address)
    return sorted(addresses)


def calls_of(addresses):
    """Calls each address once, through a register: no other branch can reach all of them."""
    lines = ["Tarmac Text Rev 3t", "          0 tic ES  EXC Reset", " " * 20 + "R SP_EL1 0000000003f00000"]
    for at, address in enumerate(addresses):
        site = 0x8000 + 4 * at
        lines.append(f"{3 * at + 1:11d} tic ES  ({site:016x}:d63f0200) O el1h_s:         BLR      x16")
        lines.append(" " * 20 + f"R X30 {site + 4:016x}")
        lines.append(f"{3 * at + 2:11d} tic ES  ({address:016x}:d503201f) O el1h_s:         NOP")
        lines.append(f"{3 * at + 3:11d} tic ES  ({address + 4:016x}:d65f03c0) O el1h_s:         RET")
    lines.append(f"{3 * len(addresses) + 1:11d} tic ES  ({0x8000 + 4 * len(addresses):016x}:d503201f) O el1h_s: NOP")
    return "\n".join(lines).encode() + b"\n"


def metadata(kind, body=b""):
    return bytes([kind << 1 | 1]) + body.ljust(15, b"\0")


def xray_buffer(thread, number, records):
    """A buffer of an XRay log, with records of one thread."""
    body = (
        metadata(0, struct.pack("<I", thread))
        + metadata(4, struct.pack("<QI", 1000 + number, 0))
        + metadata(9, struct.pack("<I", 7))
        + metadata(2, struct.pack("<HQ", 0, 1000000 * number))
        + records
    )
    return metadata(7, struct.pack("<Q", len(body))) + body
