#!/usr/bin/env python3
"""Makes the real XRay logs of corpus/xray, or large ones for benchmarks.

    xray_corpus.py [-k TEXT] [--clang NAME]    every log of the corpus, and its image
    xray_corpus.py --big DIR [--mb N]          DIR/one.xray, DIR/threads.xray and DIR/bench.elf, each
                                               log N megabytes (default 128)

The programs of corpus/xray/programs really run, so times, thread ids and the order of buffers differ each time: after a log is made again,
its answers must be recorded again. An image is reduced to what is needed to name functions: xray_instr_map, the symbols of its functions,
DWARF, and the sections that distinguish a program from a shared object.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools" / "tracegen"))
from elf import FUNC, LOCAL, SHT_NOBITS, SHT_PROGBITS, SHT_STRTAB, SHT_SYMTAB, ElfWriter, Section, Symbol  # noqa: E402

PROGRAMS = ROOT / "corpus" / "xray" / "programs"
TIMEOUT_S = 120
SHF_COMPRESSED = 0x800
SHT_DYNAMIC = 6
ALL = "func_duration_threshold_us=0"  # by default the runtime leaves out calls that take less than 5 us
DEBUG, FAST = ["-O0"], ["-O1"]
# A program with instrumented shared objects, which need a newer compiler, and its logs. An object is
# linked with those before it.
SHARED_CLANG = "clang++-22"
SHARED = ["shared_right", "shared_left"]
SHARED_LOGS = [("shared.fdr", "fdr", ALL, 4), ("shared.basic", "basic", ALL, 5)]
# A program that forks while another one runs: the logs of parent, child and the other.
FORK_CLANG = "clang++-14"
# Units of the programs with line tables. lines_main.cpp has none.
LINES = ["lines.cpp", "lines_other.cpp", "lines_leaf.c"]

# Name of the image: compiler ("" is the default one), source, its flags, and its logs as name, mode,
# options and size.
IMAGES = {
    "recursion": ("", "recursion.cpp", DEBUG, [
        ("recursion.fdr", "fdr", ALL, 11),
        ("recursion.basic", "basic", ALL + " max_stack_depth=256", 8),
        ("shallow.basic", "basic", ALL + " max_stack_depth=4", 8),
        ("threshold.fdr", "fdr", "", 14),
        # A ring of four buffers holds only the end of the log: exits whose entries are lost.
        ("wrap.fdr", "fdr", ALL + " buffer_size=1024 buffer_max=4", 13),
    ]),
    "recursion-nopie": ("", "recursion.cpp", DEBUG + ["-no-pie"], [("nopie.fdr", "fdr", ALL, 7)]),
    "recursion-14": ("clang++-14", "recursion.cpp", FAST, [("clang14.fdr", "fdr", ALL, 9)]),
    "threads": ("", "threads.cpp", FAST, [
        ("threads.fdr", "fdr", ALL + " buffer_size=4096 buffer_max=64", 120),
        ("threads.basic", "basic", ALL + " thread_buffer_size=128", 60),
    ]),
    "tailcall": ("", "tailcall.cpp", FAST, [
        ("tailcall.fdr", "fdr", ALL, 60),
        ("tailcall.basic", "basic", ALL, 30),
    ]),
    "arguments": ("", "arguments.cpp", FAST, [
        ("arguments.fdr", "fdr", ALL, 24),
        ("arguments.basic", "basic", ALL, 24),
    ]),
    "events": ("", "events.cpp", DEBUG, [("events.fdr", "fdr", ALL, 60)]),
    "typed": ("", "events.cpp", DEBUG + ["-DTYPED"], [
        ("typed.fdr", "fdr", ALL, 12),
        ("typed-buffers.fdr", "fdr", ALL + " buffer_size=2048", 60),
    ]),
    "crash": ("", "crash.cpp", FAST, [
        ("crash.fdr", "fdr", ALL, 40),
        ("crash.basic", "basic", ALL + " thread_buffer_size=64", 201),
    ]),
    "exceptions": ("clang++-14", "exceptions.cpp", FAST, [
        ("exceptions.fdr", "fdr", ALL, 48),
        ("exceptions.basic", "basic", ALL, 12),
    ]),
    "profiling": ("clang++-14", "profiling.cpp", FAST + ["-fxray-modes=xray-profiling"], [
        ("profiling", "profiling", "", 60),
    ]),
    "lines": ("", "lines_main.cpp", DEBUG + ["-g"], [("lines.fdr", "fdr", ALL, 8)]),
    "lines-packed": ("", "lines_main.cpp", ["-O2", "-gdwarf-4", "-gz", "-no-pie"], [("lines-packed.basic", "basic", ALL, 8)]),
}


def compile_unit(clang, source, flags, output):
    """Makes an object that contains no path of this machine."""
    language = ["-std=c++17"] if source.endswith(".cpp") else []
    compiler = clang if source.endswith(".cpp") else clang.replace("clang++", "clang")
    subprocess.run([compiler, *language, "-fxray-instrument", "-fxray-instruction-threshold=1000000",
                    "-fxray-ignore-loops", "-ffile-compilation-dir=.", *flags, "-c", source, "-o", output],
                   check=True, cwd=PROGRAMS)


def build(clang, source, flags, output):
    plain = [flag for flag in flags if not flag.startswith("-g")]
    units = [(source, plain)] + [(unit, flags) for unit in LINES if source == "lines_main.cpp"]
    objects = []
    for unit, its_flags in units:
        objects.append(output.with_suffix("." + unit + ".o"))
        compile_unit(clang, unit, [flag for flag in its_flags if flag != "-no-pie"], objects[-1])
    subprocess.run([clang, "-fxray-instrument", *flags, *objects, "-pthread", "-o", output], check=True)


def run(program, mode, options, size, log, **environment):
    """Runs a program and moves its log, whose name the runtime chooses, to `log`."""
    with tempfile.TemporaryDirectory(dir=log.parent) as directory:
        settings = dict(os.environ, XRAY_OPTIONS="patch_premain=false xray_logfile_base=log.", **environment)
        subprocess.run([program, f"xray-{mode}", options, str(size)], cwd=directory, env=settings,
                       timeout=TIMEOUT_S, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        (made,) = Path(directory).iterdir()
        made.replace(log)
    log.chmod(0o644)


def sections_of(program):
    """The name, the address, the size and the bytes of each section, and whether it is compressed."""
    text = subprocess.run(["readelf", "-SW", program], check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        words = line.partition("]")[2].split()
        if len(words) > 8 and words[0] != "Name":
            address, offset, size = (int(word, 16) for word in words[2:5])
            yield words[0], address, size, program.read_bytes()[offset : offset + size], "C" in words[6]


def section_of(program, wanted):
    """The address, the size and the bytes of a section."""
    ((_, address, size, data, _),) = [section for section in sections_of(program) if section[0] == wanted]
    return address, size, data


def debug_sections(program):
    for name, _, _, data, is_compressed in sections_of(program):
        if name.startswith(".debug_"):
            yield Section(name, SHT_PROGBITS, data, flags=SHF_COMPRESSED if is_compressed else 0)


def functions_of(map_bytes, address):
    """The addresses of the functions of a map with relative entries (version 2)."""
    return {(address + at + 8 + int.from_bytes(map_bytes[at + 8 : at + 16], "little")) % (1 << 64)
            for at in range(0, len(map_bytes), 32)}


def linkage_sections(program):
    """The sections that distinguish a program from a shared object."""
    kinds = {".interp": (SHT_PROGBITS, 0), ".dynamic": (SHT_DYNAMIC, 16)}
    for name, address, _, data, _ in sections_of(program):
        if name in kinds:
            kind, entry_size = kinds[name]
            yield Section(name, kind, data, flags=2, address=address, entry_size=entry_size)


def symbols_of(program, addresses):
    text = subprocess.run(["readelf", "-sW", program], check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        words = line.split()
        if len(words) == 8 and words[3] == "FUNC" and int(words[1], 16) in addresses:
            yield Symbol(words[7], int(words[1], 16), int(words[2], 0), FUNC, LOCAL)


def reduce_image(program, image, more=()):
    """Writes an image with only what names functions, at the same addresses as in the program."""
    address, _, map_bytes = section_of(program, "xray_instr_map")
    text_address, text_bytes, _ = section_of(program, ".text")
    writer = ElfWriter(machine=62)
    symbols = sorted(symbols_of(program, functions_of(map_bytes, address)), key=lambda symbol: symbol.value)
    table, strings = writer.symbol_table(symbols)
    image.write_bytes(writer.file([
        Section(".text", SHT_NOBITS, b"", flags=6, address=text_address, size=text_bytes),
        Section("xray_instr_map", SHT_PROGBITS, map_bytes, flags=2, address=address),
        Section(".symtab", SHT_SYMTAB, table, 4, len(symbols) + 1, 24),
        Section(".strtab", SHT_STRTAB, strings),
        *debug_sections(program),
        *more,
    ]))


def make_shared(directory, scratch):
    objects = []
    for name in SHARED:
        compile_unit(SHARED_CLANG, name + ".cpp", [*FAST, "-fxray-shared", "-fPIC"], scratch / (name + ".o"))
        library = scratch / f"lib{name}.so"
        subprocess.run([SHARED_CLANG, "-fxray-instrument", "-fxray-shared", "-shared", scratch / (name + ".o"), *objects,
                        "-o", library], check=True)
        objects.append(library)
        reduce_image(library, directory / (name.replace("_", "-") + ".elf"), linkage_sections(library))
    program = scratch / "shared"
    compile_unit(SHARED_CLANG, "shared.cpp", [*FAST, "-fxray-shared", "-fPIC"], scratch / "shared.o")
    subprocess.run([SHARED_CLANG, "-fxray-instrument", "-fxray-shared", scratch / "shared.o", *reversed(objects), "-pthread",
                    f"-Wl,-rpath,{scratch}", "-o", program], check=True)
    reduce_image(program, directory / "shared.elf", linkage_sections(program))
    for log, mode, options, size in SHARED_LOGS:
        run(program, mode, options, size, directory / f"{log}.xray")


def pids_of(log):
    """The processes in the buffers of a log in flight data recorder mode, version 3 to 5."""
    data, at, found = log.read_bytes(), 32, set()
    while at < len(data):
        found.add(int.from_bytes(data[at + 49 : at + 53], "little"))
        at += 16 + int.from_bytes(data[at + 1 : at + 9], "little")
    return found


def make_fork(directory, scratch):
    for name in "fork", "recursion":
        build(FORK_CLANG, f"{name}.cpp", FAST, scratch / f"the-{name}")
    reduce_image(scratch / "the-fork", directory / "fork.elf")
    with tempfile.TemporaryDirectory(dir=directory) as made:
        settings = dict(os.environ, XRAY_OPTIONS="patch_premain=false xray_logfile_base=log.")
        quiet = {"cwd": made, "env": settings, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        other = subprocess.Popen([scratch / "the-recursion", "xray-fdr", ALL, "6"], **quiet)
        subprocess.run([scratch / "the-fork", "xray-fdr", f"{ALL} buffer_size=1024", "12"], timeout=TIMEOUT_S, **quiet)
        other.wait(TIMEOUT_S)
        for log in Path(made).iterdir():
            name = "other" if "recursion" in log.name else "parent" if len(pids_of(log)) == 1 else "child"
            log.chmod(0o644)
            log.replace(directory / f"fork-{name}.fdr.xray")


def make_corpus(clang, wanted):
    directory = ROOT / "corpus" / "xray"
    with tempfile.TemporaryDirectory() as scratch:
        for name, (compiler, source, flags, logs) in IMAGES.items():
            if wanted not in name:
                continue
            program = Path(scratch) / name
            build(compiler or clang, source, flags, program)
            reduce_image(program, directory / f"{name}.elf")
            for log, mode, options, size in logs:
                ending = "xrayprof" if mode == "profiling" else "xray"
                run(program, mode, options, size, directory / f"{log}.{ending}")
        if wanted in "shared":
            make_shared(directory, Path(scratch))
        if wanted in "fork":
            make_fork(directory, Path(scratch))


def make_big(clang, directory, megabytes):
    directory.mkdir(parents=True, exist_ok=True)
    program = directory / "bench"
    build(clang, "bench.cpp", ["-O2"], program)
    for name, threads in (("one", 1), ("threads", 4)):
        # The number of buffers is so low that llvm-xray, which has no defined order for buffers, keeps their order.
        options = f"{ALL} buffer_size={megabytes * 1000000 // 12} buffer_max=20"
        run(program, "fdr", options, megabytes * 1800 // threads, directory / f"{name}.xray", BENCH_THREADS=str(threads))
    reduce_image(program, directory / "bench.elf")
    program.unlink()


def main():
    parser = argparse.ArgumentParser(description="Makes the XRay logs of the corpus, or large ones.")
    parser.add_argument("-k", default="", metavar="TEXT", help="only images whose name contains the text")
    parser.add_argument("--clang", default="clang++-19", metavar="NAME", help="default: clang++-19")
    parser.add_argument("--big", type=Path, metavar="DIR", help="make the large logs there instead")
    parser.add_argument("--mb", type=int, default=128, metavar="N", help="size of each large log (default 128)")
    arguments = parser.parse_args()
    if arguments.big:
        make_big(arguments.clang, arguments.big.resolve(), arguments.mb)
    else:
        make_corpus(arguments.clang, arguments.k)


if __name__ == "__main__":
    main()
