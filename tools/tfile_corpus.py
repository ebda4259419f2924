#!/usr/bin/env python3
"""Makes the real trace files of corpus/tfile by gdbserver and GDB, or large ones for benchmarks.

    tfile_corpus.py [-k TEXT]                 every file of the corpus, and its image
    tfile_corpus.py --big FILE [--frames N]   FILE and FILE.elf, N frames with registers (default 65000)

Needs gdb, gdbserver and gcc of an x86-64 machine (and Zig, by tools/zigw, for the file of i386). The program of corpus/tfile/programs
really runs, so times differ each time, and the registers depend on the machine.
"""

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "corpus" / "tfile"
PROGRAMS = CORPUS / "programs"
TIMEOUT_S = 600
COMMON = ["-g", "-O1", "-fno-stack-protector", "-fcf-protection=none"]
GCC = ["gcc", *COMMON, "-Wa,--gsframe"]

# With debugging information that contains nothing about the machine, in sections of DWARF 5 and 4.
TYPED = ["gcc", "-g", "-gno-record-gcc-switches", "-fdebug-prefix-map=" + str(PROGRAMS) + "=.", "-fno-stack-protector",
         "-fcf-protection=none", "-Wl,--build-id=none"]

# Name of an image: how it is compiled. Images keep their debugging information if their names begin with "values".
IMAGES = {
    "walk": [*GCC, "-no-pie", "-fomit-frame-pointer"],
    "walk-fp": [*GCC, "-no-pie", "-fno-omit-frame-pointer"],
    "walk-pie": [*GCC, "-pie", "-fpie", "-fomit-frame-pointer"],
    "walk-i386": [str(ROOT / "tools/zigw"), "cc", "-target", "x86-linux-musl", "-static", *COMMON,
                  "-fno-omit-frame-pointer", "-fno-sanitize=all"],
    "values": [*TYPED, "-O0", "-no-pie"],
    "values-fast": [*TYPED, "-gdwarf-4", "-O2", "-no-pie"],
}

STACK = "collect $regs, *(unsigned char *)$rsp@700"

# Each of them is an action of its own.
GLOBALS = """origin table zeros counter counted word full quoted padded many lines message yes both byte letters wide
    text_wide ratio halves third not_a_number infinite colour odd access_none access_two access_odd fields chosen
    none into_table indirect anything row operations last first nodes wider used table[1] table[2][3] first.name
    first.inner.tag *first.next first.next->corners[1].y &first &table[1][2] fields.middle
    *into_table@3 (long)byte -counter counter+2 word[1] &word add first.apply""".split()


def collected(expressions):
    return "\n".join("collect " + text for text in expressions)


# Name of a file: image, argument of the program, commands before the program continues.
FILES = {
    # Registers and the stack in a recursion; conditions, a variable, notes.
    "stacks": ("walk", 40, f"""
        set trace-user a user
        set trace-notes stacks of the leaves
        tvariable $hits = 5
        trace leaf if value > 300
        actions
        {STACK}
        collect value, visits, digest, $trace_timestamp
        teval $hits = $hits + 1
        collect $hits
        end
        trace insert if key == 500
        actions
        collect $regs
        end"""),
    "stacks-fp": ("walk-fp", 24, f"""
        trace leaf
        actions
        {STACK}
        end"""),
    # The file does not contain the address at which the program was loaded.
    "pie": ("walk-pie", 24, f"""
        trace leaf
        actions
        {STACK}
        collect mean, label
        end
        trace walk.c:54
        actions
        collect $regs
        end"""),
    # A hit and the steps after it.
    "steps": ("walk", 6, """
        trace leaf
        actions
        collect $regs, visits
        while-stepping 7
          collect $regs, $trace_timestamp
        end
        end"""),
    # Thousands of small frames, some without any data, some of a tracepoint that is disabled later.
    "many": ("walk", 700, """
        tvariable $inserted
        trace insert
        actions
        teval $inserted = $inserted + 1
        collect $inserted
        end
        trace leaf
        actions
        collect visits, mean, digest
        end
        trace walk"""),
    # The buffer is full: blocks that no longer fit are left out.
    "full": ("walk", 400, """
        set trace-buffer-size 60000
        trace leaf
        actions
        collect $regs, *(unsigned char *)$rsp@64, visits
        end"""),
    # The buffer wraps, and gdbserver saves it with stale bytes.
    "wrapped": ("walk", 400, """
        set trace-buffer-size 50000
        set circular-trace-buffer on
        trace leaf
        actions
        collect digest, visits, *(unsigned char *)$rsp@200
        end
        trace insert
        actions
        collect *(unsigned char *)$rsp@48
        end"""),
    # The same with frames so small that the stale bytes begin inside one frame and end inside another.
    "torn": ("walk", 700, """
        set trace-buffer-size 9000
        set circular-trace-buffer on
        trace leaf
        actions
        collect visits, mean, digest, label
        end"""),
    "passes": ("walk", 100, """
        trace leaf
        passcount 3
        actions
        collect visits, label
        end"""),
    # A line of the header that GDB itself refuses when it reads the file.
    "long-line": ("walk", 30, """
        trace leaf if """ + " + ".join(["(value + visits)"] * 40) + """ > 0
        actions
        collect visits
        end"""),
    # Also saved as a directory in the Common Trace Format.
    "saved": ("walk", 14, """
        tvariable $hits = -5
        trace leaf if value > 700
        actions
        teval $hits = $hits + 1
        collect $hits, $regs, visits, digest, label, $trace_timestamp
        while-stepping 1
          collect $regs, visits
        end
        end
        trace insert
        actions
        collect mean
        end
        passcount 300
        trace walk"""),
    "i386": ("walk-i386", 24, """
        tvariable $half
        trace leaf
        actions
        teval $half = value / 2
        collect $regs, *(unsigned char *)$esp@128, value, $half, mean
        end"""),
    # Values by their types; some of the data that they need are not collected.
    "values": ("values", 0, f"""
        tvariable $seen = 3
        trace marked
        actions
        collect $regs, $seen
        {collected(GLOBALS)}
        end
        trace values.c:{{nested}}
        actions
        collect $regs, $args, $locals, local, shadow.y
        end
        trace values.c:{{inlined}}
        actions
        collect $args, $locals, given, counter
        end
        trace values.c:{{end}}
        actions
        collect $regs, node, *node, node->name, squares[2], $rax, $rip, by_value, &by_value, *at, calls
        while-stepping 2
          collect $regs, local
        end
        end
        trace values.c:{{end}} if number == 1
        actions
        collect local, message
        end"""),
    "values-fast": ("values-fast", 0, """
        trace values
        actions
        collect $args, $regs, *node
        end
        trace values.c:{loop}
        actions
        collect $regs, sum, steps, step, first
        end
        trace values.c:{end}
        actions
        collect $regs, *(unsigned char *)$rsp@80, counter
        end"""),
}

# The names of lines of a program that commands use, from its comments.
def marked_lines(source):
    numbered = enumerate(source.read_text().splitlines(), 1)
    return {text.rpartition("// ")[2].split()[0]: number for number, text in numbered if "; // " in text or ";   // " in text}



def run(words, **options):
    subprocess.run([str(word) for word in words], check=True, timeout=TIMEOUT_S, **options)


def source_of(image):
    return PROGRAMS / f"{image.partition('-')[0]}.c"


def build(name, directory):
    """The image with debugging information, in `directory`; GDB needs it to make trace files."""
    path = directory / name
    run([*IMAGES[name], "-o", path, source_of(name)])
    return path


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def trace(image, argument, commands, output, directory):
    """Runs the program under gdbserver, and saves the data that its tracepoints collected."""
    port = free_port()
    script = directory / "trace.gdb"
    lines = ["set pagination off", "set confirm off", "set sysroot /", f"target remote 127.0.0.1:{port}",
             "break main", "continue", *(line.strip() for line in commands.strip().split("\n")), "tstart",
             "tbreak finish", "continue", "tstop", f"tsave {output}",
             *([f"tsave -ctf {output.with_suffix('.ctf')}"] if output.stem == "saved" else []), "kill"]
    script.write_text("\n".join(lines) + "\n")
    # Paths of the machine must not be published. Trace files contain none, but the name and environment of the program are on its stack.
    server = subprocess.Popen(["gdbserver", "--once", f"127.0.0.1:{port}", f"./{image.name}", str(argument)],
                              cwd=directory, env={"PATH": "/usr/bin"}, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            if Path(f"/proc/{server.pid}/net/tcp").read_text().find(f":{port:04X} ") >= 0:
                break
            subprocess.run(["sleep", "0.05"], check=False)
        run(["gdb", "-q", "-batch", "-nx", "-x", script, f"./{image.name}"], cwd=directory,
            stdout=None if os.environ.get("VERBOSE") else subprocess.DEVNULL,
            stderr=None if os.environ.get("VERBOSE") else subprocess.DEVNULL)
    finally:
        server.kill()
        server.wait()
    print(f"{output.name}: {output.stat().st_size} bytes")


def make_corpus(wanted, directory):
    images = {}
    for name, (image, argument, commands) in FILES.items():
        if wanted not in name:
            continue
        if image not in images:
            images[image] = build(image, directory)
            # Names, and the sections for unwinding.
            kept = [] if image.startswith("values") else ["--strip-debug"]
            run(["objcopy", *kept, images[image], CORPUS / f"{image}.elf"])
        for line, number in marked_lines(source_of(image)).items():
            commands = commands.replace(f"{{{line}}}", str(number))
        trace(images[image], argument, commands, CORPUS / f"{name}.tf", directory)


def make_big(output, frames, directory):
    image = build("walk", directory)
    commands = f"set trace-buffer-size {frames * 3000}\ntrace leaf\nactions\ncollect $regs, visits\nend"
    trace(image, frames, commands, output.absolute(), directory)
    shutil.copy(image, f"{output}.elf")


def main():
    parser = argparse.ArgumentParser(description="Makes the real trace files of corpus/tfile.")
    parser.add_argument("-k", default="", metavar="TEXT", help="only files whose names contain TEXT")
    parser.add_argument("--big", type=Path, metavar="FILE", help="one large file instead")
    parser.add_argument("--frames", type=int, default=65000, metavar="N", help="how many frames it has")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        if arguments.big:
            make_big(arguments.big, arguments.frames, Path(directory))
        else:
            make_corpus(arguments.k, Path(directory))
    return 0


if __name__ == "__main__":
    sys.exit(main())
