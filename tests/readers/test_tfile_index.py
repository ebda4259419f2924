"""Indexes of GDB trace files: a reader written from idx/FORMAT.md must find in each frame of an index what another reader finds in the
file, and what libtrawl finds. Any number of threads makes the same index.

    tests/run.py tfile_index
"""

import csv
import io
import json
import random
import struct

import index_reader
import libtrawl
import pytest
import test_format
from index_draft import Draft, decode, encode
from test_tfile import CORPUS, SOUND, Check, Reader

OPTIONS_ROW, KEEPS_ORDER = 4, 1 << 7
RECOVERED, DAMAGED = 1 << 6, 1 << 7
SEGMENT_EVENTS = [1, 7, 1000]
MANY_TRACEPOINTS = 400  # more than the number of lanes that every index has room for
LANES_SURE = 256  # an index with few segments has room for more
LANE_SEGMENTS = 1 << 24


def registers_of(reader, frame):
    return dict(enumerate(frame.block)) if frame.block else {}


def memory_of(reader, frame):
    """The memory of a frame; for each byte, the first block counts."""
    found = {}
    for start, data in frame.memory:
        for i, byte in enumerate(data):
            found.setdefault(start + i & reader.address_mask, byte)
    return found


def check_frames(check, name, index, reader):
    check.expect(f"{name}: frames", index.event_count, len(reader.frames))
    for (event, registers, memory), frame in zip(index.snapshots(), reader.frames):
        about = index.event(event)
        pc = reader.pc(frame)
        variables = {
            variable: int.from_bytes(bytes(registers[place + i] for i in range(8)), "little", signed=True)
            for variable, place in places_of_variables(index).items()
            if place in registers
        }
        block = {place: byte for place, byte in registers.items() if place < index.block_bytes}
        found = (index.lane_names[about.lane], about.pc if about.flags & 4 else None, about.time, about.line)
        check.expect(f"{name}: events", found, (b"tp%d" % frame.tracepoint, pc, 0, 0), event)
        check.expect(f"{name}: registers", block, registers_of(reader, frame), event)
        check.expect(f"{name}: memory", memory, memory_of(reader, frame), event)
        check.expect(f"{name}: variables", variables, frame.variables, event)


def places_of_variables(index):
    return {
        register.name: register.offset
        for register in index.registers_of_layout
        if register.flags & index_reader.VARIABLE
    }


def check_library(check, name, theirs, index, reader):
    """libtrawl has for a frame exactly what the frame collected, and nothing for other tracepoints."""
    places = places_of_variables(index)
    known_frames = 0
    for event, frame in enumerate(reader.frames):
        wanted = registers_of(reader, frame)
        for variable, value in frame.variables.items():
            wanted.update((places[variable] + i, value >> 8 * i & 0xFF) for i in range(8))
        own = theirs.event(event).lane
        for lane in {own, (own + 1) % theirs.info.lanes}:
            values, known = theirs.registers(lane, event, 0, index_reader.REGISTER_BYTES)
            found = {place: values[place] for place, is_known in enumerate(known) if is_known}
            check.expect(f"{name}: registers by libtrawl", found, wanted if lane == own else {}, (event, lane))
        memory = memory_of(reader, frame)
        # Also the memory of the frames before and after, which this one may not have.
        beside = [memory_of(reader, other) for other in reader.frames[max(event - 1, 0) : event + 2]]
        for word in sorted({address // 8 for of in beside for address in of})[:: 1 + len(memory) // 256]:
            values, known = theirs.memory(event, 8 * word, 8)
            found = [value if is_known else None for value, is_known in zip(values, known)]
            check.expect(f"{name}: memory by libtrawl", found, [memory.get(8 * word + i) for i in range(8)], (event, word))
        known_frames += bool(wanted)
    check.expect(f"{name}: snapshots", {theirs.lane(lane).is_snapshot for lane in range(theirs.info.lanes)}, {True})
    return known_frames


def check_about(check, name, index, reader):
    places = {register: (at, size) for register, at, size in reader.registers if at + size <= reader.block_bytes}
    found = {}
    for register in index.registers_of_layout:
        if register.shown and not register.flags & index_reader.VARIABLE:
            found[register.name] = register.offset, register.size
    check.expect(f"{name}: places", found, places)
    check.expect(f"{name}: block", (index.block_bytes, index.order), (reader.block_bytes, "little"))
    variables = dict(zip(places_of_variables(index), (number for number, _ in index.variable_rows)))
    numbers = {variable: number for number, variable in reader.variables.items() if variable in variables}
    check.expect(f"{name}: variables", variables, numbers)


def make(check, path, index, *words, allowed=(0,)):
    check.run("index", "--force-index", "--no-sync", "--index", index, *words, path, allowed=allowed)
    return index.read_bytes()


@pytest.fixture
def check(trawl):
    return Check(trawl)


@pytest.mark.parametrize("name", SOUND)
def test_sound(check, library, place, name):
    path, draw = CORPUS / f"{name}.tf", random.Random(name)
    size = draw.choice(SEGMENT_EVENTS)
    data = make(check, path, place / "index", "--segment-events", size if name != "many" else 1000)
    index, reader = index_reader.Index(data), Reader(path.read_bytes())
    test_format.check_parts(index)
    check_about(check, name, index, reader)
    check_frames(check, name, index, reader)
    if name != "many":
        with library.open(place / "index") as theirs:
            test_format.Comparison(index, theirs, draw).all()
            known_frames = check_library(check, name, theirs, index, reader)
        check.expect("frames with registers or variables were compared", known_frames > 0, name != "passes")  # that file has only memory
    check.run("verify", "--index", place / "index", path)
    made = {make(check, path, place / "index", "--threads", threads) for threads in (1, 2, 5)}
    check.expect(f"{name}: kinds of bytes", len(made), 1)


def test_damaged(check, place):
    """Damage in a file is recorded in its index."""
    index = index_reader.Index(make(check, CORPUS / "torn.tf", place / "index", allowed=(3,)))
    marks = [index.event(event).flags & (RECOVERED | DAMAGED) for event in range(index.event_count)]
    check.expect("torn: recovered", marks.count(RECOVERED), 82)
    check.expect("torn: damage", index.identity[9:11], [1, 1200])
    index = index_reader.Index(make(check, CORPUS / "wrapped.tf", place / "index", allowed=(3,)))
    marks = [index.event(event).flags & (RECOVERED | DAMAGED) for event in range(index.event_count)]
    check.expect("wrapped: damaged", [i for i, mark in enumerate(marks) if mark], [3])


ONE_REGISTER = b'tdesc <target><feature name="f"><reg name="x0" bitsize="64"/></feature></target>\n'


def trace_file(frames, register_bytes=8, description=b""):
    head = b"\x7fTRACE0\nR %x\nstatus 0;tstop:0;tframes:%x\n%s\n" % (register_bytes, len(frames), description)
    body = b"".join(struct.pack("<HI", number, len(data)) + data for number, data in frames)
    return head + body + bytes(4)


def test_limits(check, place):
    """What does not fit in an index is refused with its name, and no file is left."""
    path, index = place / "made.tf", place / "made.index"
    variable = [b"V" + struct.pack("<iq", number, number) for number in range(2000)]
    for what, data in [
        ("variables", trace_file([(1, b"".join(variable))])),
        ("registers", trace_file([(1, b"R" + bytes(9000))], 9000)),
        ("no events", trace_file([])),
    ]:
        path.write_bytes(data)
        check.run("index", "--index", index, path, allowed=(1,))
        check.expect(f"{what}: an index", index.exists(), False)
    # The largest numbers that fit.
    path.write_bytes(trace_file([(n + 1, b"R" + bytes(8) + b"".join(variable[:1122])) for n in range(LANES_SURE)]))
    found = index_reader.Index(make(check, path, index))
    check.expect("variables without a name", len(found._section(index_reader.TFILE).column(4)), 2 * 1122)
    # The last value of a variable counts, and the first block of memory.
    memory = [b"M" + struct.pack("<QH", at, len(data)) + data for at, data in [(0x1003, b"abcd"), (0x1000, b"ABCDEFGHIJ")]]
    path.write_bytes(trace_file([(1, b"".join(memory) + variable[5] + variable[6] + b"V" + struct.pack("<iq", 5, -9))]))
    (_, registers, bytes_found), = index_reader.Index(make(check, path, index)).snapshots()
    check.expect("first memory", bytes(bytes_found[0x1000 + i] for i in range(10)), b"ABCabcdHIJ")
    check.expect("last value", [registers[8 + i] for i in range(16)], [0xF7, *[0xFF] * 7, 6, *[0] * 7])


def test_many_tracepoints(check, library, place):
    """Each tracepoint has its own lane, however many there are."""
    path, made_index, draw = place / "many.tf", place / "many.index", random.Random("many")
    numbers = [32 * n + 1 for n in range(MANY_TRACEPOINTS)] * 3
    draw.shuffle(numbers)
    definitions = b"".join(b"tp T%x:%x:E:0:0\n" % (number, 0x1000 + 4 * number) for number in sorted(set(numbers)))
    blocks = [b"R" + draw.randbytes(8) + b"M" + struct.pack("<QH", draw.randrange(64), 4) + draw.randbytes(4) for _ in numbers]
    path.write_bytes(trace_file(list(zip(numbers, blocks)), description=ONE_REGISTER + definitions))
    reader = Reader(path.read_bytes())
    for size in (7, 1000):
        index = index_reader.Index(make(check, path, made_index, "--segment-events", size))
        test_format.check_parts(index)
        check.expect("names of many lanes", index.lane_names, [b"tp%d" % number for number in sorted(set(numbers))])
        check_frames(check, f"many tracepoints by {size}", index, reader)
        with library.open(made_index) as theirs:
            test_format.Comparison(index, theirs, draw).all()
    made = {make(check, path, made_index, "--threads", threads) for threads in (1, 2, 5)}
    check.expect("many tracepoints: kinds of bytes", len(made), 1)


def test_shared_lane(check, place):
    """An index of many segments has no room for a lane for each tracepoint: the last ones share a lane."""
    path, made_index = place / "crowded.tf", place / "crowded.index"
    tracepoints = LANES_SURE + 2
    frames = [(2 * (n % tracepoints) + 2, b"R" + bytes(8)) for n in range(LANE_SEGMENTS // LANES_SURE + 1)]
    path.write_bytes(trace_file(frames))
    crowded = index_reader.Index(make(check, path, made_index, "--segment-events", 1))
    names = crowded.lane_names
    check.expect("crowded lanes", [names[0], names[-2], names[-1]], [b"tp2", b"tp510", b"tp512+"])
    first = sum(number == 2 for number, _ in frames)
    shared = sum(number >= 512 for number, _ in frames)
    check.expect("events of them", [crowded.lanes[i][1] for i in (0, -1)], [first, shared])
    roomy = index_reader.Index(make(check, path, made_index))
    check.expect("roomy lanes", len(roomy.lanes), tracepoints)




# How a target's byte order is known: from the first frames, from the command line, from an image, from the machine.
ORDERS = {
    "big-walked": (">", b"aarch64", []),
    "big-told": (">", b"aarch64", ["--bi"]),
    "big-image": (">", b"aarch64", ["--image", "image"]),
    "big-machine": (">", b"s390:64-bit", []),
    "big-machine-told-image": (">", b"powerpc:common64", ["--bi", "--image", "image"]),
    "little-walked": ("<", b"aarch64", []),
    "little-image": ("<", b"aarch64", ["--image", "image"]),
    "little-told-against-image": ("<", b"aarch64", ["--li", "--image", "other"]),
    "big-told-against-image": (">", b"aarch64", ["--bi", "--image", "other"]),
}


def elf_head(order):
    """An image of nothing, which states only the machine and its byte order."""
    ident = b"\x7fELF" + bytes([2, 2 if order == ">" else 1, 1]) + bytes(9)
    return ident + struct.pack(order + "HHIQQQIHHHHHH", 2, 183, 1, 0, 0, 0, 0, 64, 56, 0, 64, 0, 0)


@pytest.mark.parametrize("name", ORDERS)
def test_byte_order(check, library, place, name):
    """An index has the bytes of memory as they are in the file, however its byte order is known, and numbers in the target's order."""
    order, machine, words = ORDERS[name]
    (place / "image").write_bytes(elf_head(order))
    (place / "other").write_bytes(elf_head("<" if order == ">" else ">"))
    words = [str(place / word) if word in ("image", "other") else word for word in words]
    draw, path, made_index = random.Random(name), place / "made.tf", place / "made.index"
    head = b"tdesc <target><architecture>%s</architecture><feature name=\"f\">" % machine
    head += b"".join(b'<reg name="%s" bitsize="64"/>' % register for register in (b"x0", b"sp", b"pc")) + b"</feature></target>\n"
    head += b"tsv 1:5:0:68697473\ntp T1:1000:E:0:0\n"
    stack, numbers = 0x7010, [draw.getrandbits(64) for _ in range(5)]
    frames = []
    for number in numbers:
        blocks = [b"R" + struct.pack(order + "QQQ", number, stack, 0x1000)]
        for at, data in [(stack, struct.pack(order + "QI", number, 99)), (0x6003, draw.randbytes(14)), (stack + 4, draw.randbytes(9))]:
            blocks.append(b"M" + struct.pack(order + "QH", at, len(data)) + data)
        blocks.append(b"V" + struct.pack(order + "iq", 1, number % 1000))
        frames.append(b"".join(blocks))
    text = b"\x7fTRACE0\nR 18\nstatus 0;tstop:0;tframes:5\n" + head + b"\n"
    path.write_bytes(text + b"".join(struct.pack(order + "HI", 1, len(data)) + data for data in frames) + bytes(4))
    reader = Reader(path.read_bytes(), order == ">")
    index = index_reader.Index(make(check, path, made_index, *words))
    check_frames(check, name, index, reader)
    with library.open(made_index) as theirs:
        check_library(check, name, theirs, index, reader)
    state = json.loads(check.run("state", "--format", "json", *words, "--at", "event:2", path))
    memory = memory_of(reader, reader.frames[2])
    shown = {int(of["address"], 16) + i: byte for of in state["memory"] for i, byte in enumerate(bytes.fromhex(of["bytes"]))}
    check.expect(f"{name}: state", shown, memory)
    check.expect(f"{name}: x0", int(state["registers"]["x0"], 16), numbers[2])
    # An index of an earlier trawl, which reversed memory, is made again.
    if order == ">":
        draft = Draft(made_index.read_bytes())
        (identity,) = decode(draft.sections[index_reader.IDENTITY][1])
        identity[OPTIONS_ROW] ^= KEEPS_ORDER
        draft.sections[index_reader.IDENTITY][1] = encode(identity)
        wanted = made_index.read_bytes()
        made_index.write_bytes(draft.build())
        check.run("state", "--index", made_index, *words, path)
        check.expect(f"{name}: an earlier index", made_index.read_bytes() == wanted, True)
    # A number in memory, as a value that changes.
    rows = csv.DictReader(io.StringIO(check.run("writes", "--all", "--format", "csv", *words, path, "sp:4")))
    wanted = struct.unpack(order + "I", bytes(memory_of(reader, reader.frames[0])[stack + i] for i in range(4)))[0]
    check.expect(f"{name}: writes", [int(row["value"], 16) for row in rows][:1], [wanted])
    shown = check.run("tfile", "series", "--format", "csv", *words, path, f"{stack:#x}:u32")
    check.expect(f"{name}: series", [int(row[f"{stack:#x}:u32"], 0) for row in csv.DictReader(io.StringIO(shown))][:1], [wanted])
