#!/usr/bin/env python3
"""Makes the trace files of AArch64 in corpus/tfile, and their images.

    tfile_emulated.py

QEMU's stub has no tracepoints, so GDB stops the program at each place instead, and the script records registers and memory as a target
would have collected them. Needs gdb-multiarch and qemu-aarch64 (qemu-user), and Zig by tools/zigw.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from tfile_corpus import CORPUS, GLOBALS, PROGRAMS, ROOT, TIMEOUT_S, free_port, marked_lines, run  # noqa: E402

COMPILE = [ROOT / "tools/zigw", "cc", "-target", "aarch64-linux-musl", "-nostdlib", "-static", "-g",
           "-gno-record-gcc-switches", "-fno-builtin", "-fno-sanitize=all", "-fno-stack-protector",
           f"-fdebug-prefix-map={PROGRAMS}=.", f"-fdebug-prefix-map={Path.home()}/.cache/trawl=.", "-fdebug-compilation-dir=.",
           "-Wl,-e,main", "-Wl,--build-id=none"]  # fmt: skip
STACK_BYTES = 700
UNREADABLE = ["third"]  # a value of quadruple precision

# Image: how it is compiled, and its tracepoints as (place, whether memory is collected, actions).
IMAGES = {
    "values-a64": (["-O0", "-gdwarf-5"], [
        ("marked", True, ["$regs", *(name for name in GLOBALS if name not in UNREADABLE)]),
        ("values.c:{nested}", True, ["$regs", "$args", "$locals", "local", "shadow.y"]),
        ("values.c:{inlined}", True, ["$args", "$locals", "given", "counter"]),
        ("values.c:{end}", True, ["$regs", "node", "*node", "node->name", "squares[2]", "$x0", "$pc", "by_value", "&by_value",
                                  "*at", "calls"]),
    ]),
    "values-a64-fast": (["-O2", "-gdwarf-4"], [
        ("values", False, ["$args", "$regs", "*node"]),
        ("values.c:{loop}", False, ["$regs", "$args", "$locals"]),
        ("values.c:{end}", True, ["$regs", "counter", "$args", "$locals"]),
    ]),
}  # fmt: skip

# Register names with their sizes in bits, in the order of the features of GDB's target description.
CORE = [(f"x{i}", 64) for i in range(31)] + [("sp", 64), ("pc", 64), ("cpsr", 32)]
FLOATING = [(f"v{i}", 128) for i in range(32)] + [("fpsr", 32), ("fpcr", 32)]

SCRIPT = """
import gdb, json
gdb.execute("set pagination off")
gdb.execute("target remote 127.0.0.1:{port}", to_string=True)
places, frames = {places}, []
stops = {{gdb.Breakpoint(place).number: place for place in places}}
addresses = {{}}
gdb.Breakpoint("finish")
last = []
gdb.events.stop.connect(lambda event: last.append([point.number for point in event.breakpoints]))
def value(name, bits):
    parts = [f"${{name}}.d.u[{{i}}]" for i in range(2)] if bits == 128 else [f"${{name}}"]
    return b"".join((int(gdb.parse_and_eval(part)) & (1 << min(bits, 64)) - 1).to_bytes(min(bits, 64) // 8, "little")
                    for part in parts)
while True:
    gdb.execute("continue", to_string=True)
    hit = [stops[number] for number in last[-1] if number in stops]
    if not hit:
        break
    process = gdb.selected_inferior()
    pc, sp = (int(gdb.parse_and_eval(name)) for name in ("$pc", "$sp"))
    blocks = [(start, bytes(process.read_memory(start, size)).hex()) for start, size in [(sp, {stack}), *{ranges}]]
    for place in hit:
        addresses[place] = pc
        frames.append((place, b"".join(value(*register) for register in {registers}).hex(), blocks))
print("ANSWER" + json.dumps((addresses, frames)))
gdb.execute("kill")
"""


def build(name, how, directory):
    run([*COMPILE, *how, "-o", directory / f"{name}.elf", PROGRAMS / "values.c", PROGRAMS / "values_host.c"])
    return directory / f"{name}.elf"


def writable(image):
    """(address, size) of each section with data that the program writes, from readelf."""
    text = subprocess.run(["readelf", "-SW", image], capture_output=True, text=True, check=True).stdout
    rows = [line.replace("[ ", "[").split() for line in text.splitlines()]
    return [(int(row[3], 16), int(row[5], 16)) for row in rows if row[1:2] in ([".data"], [".bss"])]


def watch(image, places, directory):
    """The addresses of the places, and (place, registers, blocks of memory) for each time that control reaches one."""
    port, script = free_port(), directory / "watch.py"
    script.write_text(SCRIPT.format(port=port, places=places, stack=STACK_BYTES, ranges=writable(image), registers=CORE + FLOATING))
    with subprocess.Popen(["qemu-aarch64", "-cpu", "cortex-a72", "-g", str(port), image], env={}) as emulator:
        text = subprocess.run(["gdb-multiarch", "-q", "-batch", "-nx", "-x", script, image], capture_output=True, text=True,
                              timeout=TIMEOUT_S, check=False)
        emulator.kill()
    answers = [line[len("ANSWER") :] for line in text.stdout.splitlines() if line.startswith("ANSWER")]
    assert answers, text.stdout[-2000:] + text.stderr[-2000:]
    return json.loads(answers[0])


def description():
    def feature(name, registers):
        rows = [f'<reg name="{register}" bitsize="{bits}"{" type=" + chr(34) + "uint128" + chr(34) if bits == 128 else ""}/>'
                for register, bits in registers]
        return [f'<feature name="org.gnu.gdb.aarch64.{name}">', *rows, "</feature>"]
    return ['<?xml version="1.0"?>', '<!DOCTYPE target SYSTEM "gdb-target.dtd">', "<target>",
            "<architecture>aarch64</architecture>", *feature("core", CORE), *feature("fpu", FLOATING), "</target>"]  # fmt: skip


def write(path, points, addresses, frames):
    lines = [f"R {sum(bits for _, bits in CORE + FLOATING) // 8:x}", *(f"tdesc {line}" for line in description()),
             f"status 0;tstop::0;tframes:{len(frames):x};tcreated:{len(frames):x};tfree:0;tsize:0"]  # fmt: skip
    for number, (place, _, actions) in reversed(list(enumerate(points, 1))):
        about = f"{number:x}:{addresses[place]:x}"
        texts = [("at", place), *(("cmd", "collect " + action) for action in actions)]
        lines += [f"tp T{about}:E:0:0", *(f"tp Z{about}:{kind}:0:{len(text):x}:{text.encode().hex()}" for kind, text in texts)]
    out = b"\x7fTRACE0\n" + "\n".join(lines).encode() + b"\n\n"
    numbers = {place: (number, has_memory) for number, (place, has_memory, _) in enumerate(points, 1)}
    for place, registers, blocks in frames:
        number, has_memory = numbers[place]
        data = b"R" + bytes.fromhex(registers)
        for start, text in blocks if has_memory else []:
            block = bytes.fromhex(text)
            data += b"M" + start.to_bytes(8, "little") + len(block).to_bytes(2, "little") + block
        out += number.to_bytes(2, "little") + len(data).to_bytes(4, "little") + data
    path.write_bytes(out + bytes(4))
    print(f"{path.name}: {path.stat().st_size} bytes, {len(frames)} frames")


def main():
    lines = marked_lines(PROGRAMS / "values.c")
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        for image_name, (how, points) in IMAGES.items():
            image = build(image_name, how, directory)
            points = [(place.format(**lines), has_memory, actions) for place, has_memory, actions in points]
            addresses, frames = watch(image, [place for place, _, _ in points], directory)
            write(CORPUS / f"{image_name}.tf", points, addresses, frames)
            (CORPUS / f"{image_name}.elf").write_bytes(image.read_bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
