"""The same run in the forms of other producers of RISC-V logs (Sail, RVVI-TEXT, Ibex, CV32E40P) has the same registers, memory, loads,
calls and times, for any chunk size, number of threads and shards; files of single harts are merged; damaged and mixed lines are found.

    tests/run.py riscv_forms

tests/support/riscv_forms.py makes the forms of real logs of Spike, as the format strings of the producers write them.
"""

import csv
import io
import json
import lzma
import random
import re
from collections import Counter
from pathlib import Path

import pytest
import quick
import riscv_forms as forms
from test_riscv import functions_of, run, values, write

from extent import pick

CORPUS = Path(__file__).resolve().parents[2] / "corpus" / "riscv"
TIMEOUT_S = 120
FORMS = {
    "sail": forms.sail,
    "sail-brief": lambda text: forms.sail(text, fetches=False),
    "rvvi": forms.rvvi,
    "rvvi-plain": lambda text: forms.rvvi(text, is_plain=True),
    "ibex": forms.ibex,
    "cv32e40p": forms.cv32e40p,
    "cv32e40p-abi": lambda text: forms.cv32e40p(text, is_symbolic=True),
    "cv32e40p-context": lambda text: forms.cv32e40p(text, has_context=True),
    "ibex-old": lambda text: forms.cv32e40p(text, has_0x=True),
}
OF_32 = {"ibex", "cv32e40p", "cv32e40p-abi", "cv32e40p-context", "ibex-old"}
CASES = [(program, form) for program in ("calls32", "hello32", "calls64", "hello64") for form in FORMS if form not in OF_32 or "32" in program]


def made(program, form):
    """The text of a form and its events: instructions, but not those that RVVI-TEXT shows as traps."""
    text, steps = FORMS[form](lzma.decompress((CORPUS / f"{program}.both.log.xz").read_bytes()).decode())
    return text, [step for step in steps if not (step.trap and "rvvi" in form)]


def states_after(steps, points, form):
    """(point, registers, bytes of memory) after some instructions, bytes with whether they must be known: what a store wrote is not in
    RVVI-TEXT (a later load may show it), floating point not in Ibex's."""
    registers, memory = {}, {}
    for number, step in enumerate(steps[: max(points) + 1]):
        for name, value in step.registers.items():
            if name != "x0" and (name[0] == "x" or form not in OF_32):
                registers[name] = value
        if form not in OF_32:
            registers.update({name: value for name, (_, value) in step.csrs.items()})
        for address, value in step.stores:
            data = int(value, 16).to_bytes(len(value) // 2, "little")
            is_known = "rvvi" not in form and (form not in OF_32 or forms.stored_register(step) is not None)
            memory.update({address + i: (byte, is_known) for i, byte in enumerate(data)})
        if number in points:
            yield number, registers, memory


@pytest.mark.parametrize(("program", "form"), CASES)
def test_form(trawl, checker, quick_place, program, form):
    """One item for all questions: making the log takes longer than any."""
    text, steps = made(program, form)
    trace = write(quick_place, f"{program}.{form}", text)
    visits, seen = [], Counter()
    for step in steps:
        seen[step.pc] += 1
        visits.append(f"pc:{step.pc:#x}#{seen[step.pc]}")
    check_times(trawl, checker, trace, program, form, steps)  # without an index, which the others make
    check_loads(trawl, checker, trace, program, form, steps)
    check_states(trawl, checker, trace, program, form, steps, visits)
    if "calls" in program:
        check_stacks(trawl, checker, trace, program, form, steps, visits)


def check_states(trawl, checker, trace, program, form, steps, visits):
    status, _, err = run(trawl, "index", "-q", "--force-index", trace)
    checker.check(f"{form}: is indexed without damage", status == 0 and not err, err)
    chance = random.Random(program + form)
    points = {*(chance.randrange(len(steps)) for _ in range(pick(8, 1000))), 0, len(steps) - 1}
    for point, registers, memory in states_after(steps, points, form):
        csrs = [name for name in registers if not re.fullmatch(r"[xf]\d+", name)]
        found = {}
        for words in [[], csrs] if csrs else [[]]:
            _, out, err = run(trawl, "state", trace, *words, "--at", visits[point], "--format", "json")
            found.update(values(json.loads(out)["lanes"][0]["registers"]))
        wrong = {name: (value, found.get(name)) for name, value in registers.items() if int(found.get(name) or "-1", 16) != int(value, 16)}
        checker.no_fault(f"{form}: registers are those of the run", wrong, at=f"{program} {point}")
        more = {name for name in found if re.fullmatch(r"[xf]\d+", name)} - set(registers)
        checker.no_fault(f"{form}: no other register is known", more, at=f"{program} {point}")
        if memory:
            address = chance.choice(sorted(memory))
            _, out, err = run(trawl, "state", trace, f"{address:#x}:1", "--at", visits[point], "--format", "json")
            byte, (wanted, is_known) = json.loads(out)["memory"][0]["bytes"], memory[address]
            is_right = byte == f"{wanted:02x}" or (not is_known and not re.fullmatch("[0-9a-f]+", byte))
            checker.no_fault(f"{form}: memory is that of the run", not is_right and f"{address:#x}: {byte}, not {wanted:#x}", at=f"{program} {point}")


def check_loads(trawl, checker, trace, program, form, steps):
    loads = [(step.loads[0], step) for step in steps if step.loads and step.loaded() and (form not in OF_32 or "f" not in "".join(step.registers))]
    for address in sorted({address for address, _ in loads})[: pick(10, 1000)]:
        size = max(len(step.loaded()) // 2 for at, step in loads if at == address)
        wanted = Counter((step.pc, int(step.loaded(), 16), size) for at, step in loads if at == address and len(step.loaded()) == 2 * size)
        _, out, err = run(trawl, "reads", trace, f"{address:#x}:{size}", "--all", "--format", "json")
        found = Counter((int(row["pc"], 16), int(row["value"] or "-1", 16), row["size"]) for row in json.loads(out) if int(row["address"], 16) == address)
        checker.no_fault(f"{form}: loads have their values and sizes", wanted - found, at=f"{program} {address:#x}")


def check_times(trawl, checker, trace, program, form, steps):
    """Self times are instructions, or cycles where the form shows these; calls are those of Spike's log."""
    image = CORPUS / f"{program}.elf"
    functions, own = functions_of(image), Counter()
    cycles = forms.cycles_of(steps)
    for number, step in enumerate(steps[:-1]):
        start = max((start for start, (size, _) in functions.items() if start <= step.pc < start + size), default=None)
        if start is not None:  # of symbols that overlap, the last
            own[start] += cycles[number + 1] - cycles[number] if form in OF_32 else 1
    spike = write(trace.parent, program, lzma.decompress((CORPUS / f"{program}.both.log.xz").read_bytes()).decode())
    rows = {}
    for path in (trace, spike):
        _, out, err = run(trawl, "profile", path, "--image", image, "--format", "json")
        rows[path] = {int(row["address"], 16): row for row in json.loads(out)}
    for start, time in own.items():
        row, at = rows[trace].get(start, {}), f"{program} {start:#x}"
        checker.no_fault(f"{form}: self times are those of the run", row.get("self") != time and f"{row.get('self')}, not {time}", at=at)
        calls = rows[spike].get(start, {}).get("calls")
        checker.no_fault(f"{form}: calls are those of Spike's log", row.get("calls") != calls and f"{row.get('calls')}, not {calls}", at=at)


def check_stacks(trawl, checker, trace, program, form, steps, visits):
    """At the instructions of which corpus/riscv has the stacks, found by PC and visit."""
    image = CORPUS / f"{program}.elf"
    functions = sorted(functions_of(image).items())

    def function_of(pc):
        return next((start for start, (size, _) in functions if start <= pc < start + size), pc)

    retired = [number for number, step in enumerate(steps) if not step.trap]
    stacks = [line.split() for line in (CORPUS / f"{program}.stacks").read_text().splitlines()]
    run(trawl, "index", "-q", "--image", image, trace)
    for number, *wanted in random.Random(form).sample(stacks, min(len(stacks), pick(15, 1000))):
        point = retired[int(number) - 1] if number != "0" else 0
        if number == "0":
            continue
        words = ["--at", visits[point], "--unwind=calls", "--format", "json"]
        _, out, err = run(trawl, "stack", "-q", trace, "--image", image, *words)
        frames = [function_of(int(frame["entry"], 16)) for frame in rows_of_stack(json.loads(out))]
        wanted = [int(function, 16) for function in wanted]
        checker.no_fault(f"{form}: stacks are those of call frame information", frames[: len(wanted)] != wanted and f"{frames}, not {wanted}", at=f"{program} {number}")


def rows_of_stack(answer):
    return answer["lanes"][0]["frames"] if isinstance(answer, dict) else answer


@pytest.mark.parametrize("form", FORMS)
def test_same(trawl, checker, quick_place, form):
    """The index does not depend on chunks, threads, instruction sets and shards."""
    text, _ = made("calls32", form)
    trace = write(quick_place, form, text)
    options = ["-q", "--force-index", "--segment-events", "512"]
    run(trawl, "index", *options, "--threads", "1", "--index", quick_place / "one", trace)
    wanted = (quick_place / "one").read_bytes()
    for chunk in pick([1, 4099], [1, 97, 333, 1000, 4099, 9999, 65536]):
        run(trawl, "index", *options, "--chunk-size", chunk, "--threads", 2, "--index", quick_place / "more", trace)
        checker.check(f"{form}: an index does not depend on chunks", (quick_place / "more").read_bytes() == wanted, chunk)
    quick.run([trawl, "index", *options, "--index", str(quick_place / "more"), str(trace)], timeout=TIMEOUT_S, env={"TRAWL_ISA": "scalar"})
    checker.check(f"{form}: nor on instruction sets", (quick_place / "more").read_bytes() == wanted)
    parts = [quick_place / f"part{i}" for i in range(1, 4)]
    for i, part in enumerate(parts, 1):
        run(trawl, "index", *options, "--shard", f"{i}/3", "--index", part, trace)
    status, _, err = run(trawl, "merge", *parts, "-o", quick_place / "merged")
    checker.check(f"{form}: nor on shards", status == 0 and (quick_place / "merged").read_bytes() == wanted, err)


@pytest.mark.parametrize("form", FORMS)
def test_damage(trawl, checker, quick_place, form):
    """Lines of a console in between change nothing; lines that are cut, or have text before them, are reported."""
    text, _ = made("hello32", form)
    lines = text.splitlines(keepends=True)
    image = CORPUS / "hello32.elf"
    clean = write(quick_place, "clean", text)
    _, wanted, _ = run(trawl, "profile", clean, "--image", image, "--format", "csv")
    mixed, chance = list(lines), random.Random(form)
    for at in sorted((chance.randrange(50, len(lines)) for _ in range(20)), reverse=True):
        mixed.insert(at, chance.choice(["Hello, world 0x12\n", "  [ 12.3] booting\n", "\n", "x = 5\n"]))
    status, out, err = run(trawl, "profile", write(quick_place, "mixed", "".join(mixed)), "--image", image, "--format", "csv")
    checker.check(f"{form}: text of the program changes nothing", out == wanted, err)
    instructions = [at for at, line in enumerate(lines) if re.search("8000[0-9a-fA-F]{4}", line) and at > 60 and not line.startswith("mem")]
    for kind in ("cut", "behind text"):
        damaged = list(lines)
        at = chance.choice(instructions)
        whole = lines[at].rstrip("\n")
        place = whole.lower().index("8000") + 6
        damaged[at] = whole[:place] + "\n" if kind == "cut" else "Hello" + whole + "\n"
        status, out, err = run(trawl, "profile", write(quick_place, "damaged", "".join(damaged)), "--image", image, "--format", "csv")
        checker.check(f"{form}: a line that is {kind} is reported", status == 3 and f"damaged:{at + 1}:" in err, f"{at + 1} {whole!r}: {err}")
    crlf = write(quick_place, "crlf", text.replace("\n", "\r\n"))
    _, out, err = run(trawl, "profile", crlf, "--image", image, "--format", "csv")
    checker.check(f"{form}: line ends of Windows change nothing", out == wanted, err)


@pytest.mark.parametrize("form", FORMS)
def test_doctor(trawl, checker, quick_place, form):
    """doctor names the form, and finds nothing wrong."""
    names = {"sail": "Sail", "rvvi": "RVVI-TEXT", "ibex": "Ibex", "cv32": "CV32E40P"}
    text, steps = made("hello32", form)
    status, out, err = run(trawl, "doctor", write(quick_place, form, text))
    wanted = next(name for start, name in names.items() if form.startswith(start))
    checker.check(f"{form}: doctor names it", status == 0 and wanted in out and "nothing looks wrong" in out, out + err)
    checker.check(f"{form}: doctor counts its instructions", f" {len(steps)} of RV32" in out, out)


RTL = re.compile(r"core +(\d+): ([0-3]) 0x([0-9a-f]+) \(0x([0-9a-f]+)\)(.*)$")


def rtl_files(text):
    """A log of two harts as the two files that CVA6 writes, which both call their hart 0."""
    files = {}
    for line in text.splitlines():
        match = RTL.match(line)
        if match:
            hart, mode, pc, code, rest = match.groups()
            rest = re.sub(r" c\d+_\w+ +0x\w+", "", rest)
            rest = re.sub(r" ([xf])(\d) +0x", r" \1 \2 0x", rest)
            files.setdefault(hart, []).append(f"core   0: 0x{pc:0>16} (0x{code:0>8}) DASM({code:0>8})\n{mode} 0x{pc:0>16} (0x{code}){rest}\n")
    return {hart: "".join(lines) for hart, lines in files.items()}


def test_harts(trawl, checker, quick_place):
    """One file for each hart: each becomes a lane with the profile that it has alone; that their order is unknown is said."""
    text = lzma.decompress((CORPUS / "hello64.2harts.log.xz").read_bytes()).decode()
    image = CORPUS / "hello64.elf"
    paths, alone = [], {}
    for hart, lines in sorted(rtl_files(text).items()):
        paths.append(write(quick_place, f"trace_rvfi_hart_0{hart}.dasm", lines))
        _, out, _ = run(trawl, "profile", "-q", paths[-1], "--image", image, "--format", "json")
        alone[f"hart{hart}"] = {row["address"]: row["self"] for row in json.loads(out)}
    for words in [["--with", paths[1]], ["--with", f"hart1={paths[1]}"]]:
        for lane, wanted in alone.items():
            status, out, err = run(trawl, "profile", paths[0], *words, "--image", image, "--format", "json", "--lane", lane)
            found = {row["address"]: row["self"] for row in json.loads(out or "[]")}
            checker.check("files of harts are lanes with their profiles", found == wanted, f"{found} {wanted} {err}")
            checker.check("that the order of harts is unknown is said", "is unknown" in err, err)
    status, out, err = run(trawl, "profile", paths[0], "--with", f"cluster={paths[1]}", "--image", image)
    checker.check("a name that is none of a hart is refused", status in (1, 2), err)


def test_harts_with_times(trawl, checker, quick_place):
    """Files of two harts with cycles are merged by these."""
    text, steps = made("hello32", "ibex")
    first = write(quick_place, "trace_core_00000000.log", text)
    second = write(quick_place, "trace_core_00000001.log", text)
    found = []
    for lane in ("hart0", "hart1"):
        words = ["--image", CORPUS / "hello32.elf", "--format", "json", "--lane", lane]
        status, out, err = run(trawl, "profile", first, "--with", second, *words)
        found.append([(row["address"], row["self"]) for row in json.loads(out or "[]")])
    checker.check("files with cycles are merged", found[0] == found[1] and found[0], f"{found} {err}")
    checker.check("and nothing is said of their order", "unknown" not in err, err)


def test_width(trawl, checker, quick_place):
    """Where neither the log nor an image shows how many bits harts have, --isa is asked for."""
    lines = ["core   0: 0x0000000080000000 (0x00002001) c.jal   pc + 0\n", "core   0: 0x0000000080000000 (0x00000001) c.nop\n"] * 20
    trace = write(quick_place, "old.log", "".join(lines))
    status, out, err = run(trawl, "profile", trace)
    checker.check("the width is asked for", status == 1 and "--isa rv32" in err, f"{status} {err}")
    for isa in ("rv32", "rv64"):
        status, out, err = run(trawl, "info", trace, "--isa", isa)
        checker.check("a width that is given is used", status == 0, err)
    status, out, err = run(trawl, "profile", trace, "--image", CORPUS / "hello32.elf", "--force-image")
    checker.check("an image shows it", status in (0, 3), err)
    clear = write(quick_place, "clear.log", lzma.decompress((CORPUS / "hello32.both.log.xz").read_bytes()).decode())
    status, out, err = run(trawl, "profile", clear, "--isa", "rv64")
    checker.check("a width that the log contradicts is refused", status != 0 and "32 bits" in err, err)


def test_neorv32(trawl, checker, quick_place):
    """The log of NEORV32 is refused by its name."""
    lines = [f"{i} {3 * i} 0x{0x80000000 + 4 * i:08X} 0x00000297 M auipc x5, 0x00000000{' <TRAP_ENTRY>' if i == 4 else ''}\n" for i in range(40)]
    status, out, err = run(trawl, "profile", write(quick_place, "trace.log", "".join(lines)))
    checker.check("NEORV32 is named", status != 0 and "NEORV32" in err, err)


def late(lines, chance, by):
    """RTL that writes the results of some loads back with a later instruction that writes no register."""
    lines, moved = list(lines), 0
    for at in [i for i, line in enumerate(lines) if re.match(r"3 0x\w+ \(0x\w+\) x ?\d+ 0x\w+ mem 0x\w+$", line.rstrip())]:
        if chance.random() < 0.5:
            continue
        to = next((i for i in range(at + 2, min(at + 2 * by, len(lines)), 2) if re.match(r"3 0x\w+ \(0x\w+\)$", lines[i].rstrip())), None)
        if to is None:
            continue
        written = re.search(r" x ?\d+ 0x\w+", lines[at])[0]
        lines[at] = lines[at].replace(written, "", 1)
        lines[to] = lines[to].rstrip("\n") + written + "\n"
        moved += 1
    return lines, moved


def test_window(trawl, checker, quick_place):
    """Results that RTL writes back late are no differences within --window; a wrong one is, where it is."""
    text = lzma.decompress((CORPUS / "calls64.both.log.xz").read_bytes()).decode()
    spike = write(quick_place, "spike", text)
    rtl = list(rtl_files(text).values())[0].splitlines(keepends=True)
    moved, count = late(rtl, random.Random(1), 4)
    checker.check("some results are late", count > 20, count)

    def compare(lines, *words):
        path = write(quick_place, "rtl", "".join(lines))
        status, out, err = run(trawl, "diff", "-q", spike, path, "--registers", "--memory", "--format", "csv", *words)
        return status, out.splitlines()[1:], err

    checker.check("late results are differences", compare(moved)[0] == 1)
    checker.check("but not within a window", compare(moved, "--window", 4)[:2] == (0, []), compare(moved, "--window", 4))
    checker.check("nor within a larger one", compare(moved, "--window", 64)[:2] == (0, []), compare(moved, "--window", 64))
    checker.check("a window that is too small does not hide them", compare(moved, "--window", 1)[0] == 1)
    for seed in range(pick(4, 30)):
        chance = random.Random(seed)
        wrong, at = list(moved), chance.choice([i for i, line in enumerate(moved) if re.match(r"3 .*\) x ?\d+ 0x\w+$", line.rstrip())])
        wrong[at] = re.sub(r"(x ?\d+ 0x\w*)(\w)$", lambda found: found[1] + "%x" % (int(found[2], 16) ^ 1), wrong[at].rstrip()) + "\n"
        status, rows, err = compare(wrong, "--window", 4)
        events = [int(row.split(",")[4]) for row in rows[:1]]
        checker.check("a wrong value is a difference within any window", status == 1 and len(rows) == 1, f"{at // 2}: {rows[:2]} {err}")
        checker.check("which is where it is", events and abs(events[0] - at // 2) <= 4, f"{at // 2}: {rows[:1]}")
    status, out, err = run(trawl, "diff", spike, write(quick_place, "rtl", "".join(moved)), "--registers", "--window", "4")
    checker.check("the window is said", "up to 4 instructions late" in out, out[:400])


def test_compare_harts(trawl, checker, quick_place):
    """Two harts of a simulator and the two files that RTL writes of them: each hart is compared with its own, in whatever order they ran."""
    text = lzma.decompress((CORPUS / "hello64.2harts.log.xz").read_bytes()).decode()
    spike = write(quick_place, "spike", text)
    rtl = {int(hart): lines.splitlines(keepends=True) for hart, lines in rtl_files(text).items()}
    committed = {hart: [] for hart in rtl}  # the lines of A with the instructions of a hart
    for number, found in enumerate(map(RTL.match, text.splitlines()), 1):
        if found:
            committed[int(found[1])].append(number)

    def compare(files, *words, log=spike):
        paths = [write(quick_place, f"rtl_hart_0{hart}.dasm", "".join(lines)) for hart, lines in files.items()]
        words = ["-q", log, paths[0], "--other-with", f"hart1={paths[1]}", "--registers", "--memory", "--format", "csv", *words]
        status, out, err = run(trawl, "diff", *words)
        return status, list(csv.DictReader(io.StringIO(out))), err

    checker.check("two harts that do the same are equal", compare(rtl)[:2] == (0, []), compare(rtl))
    for seed in range(pick(6, 60)):
        chance = random.Random(seed)
        wrong, hart = {number: list(lines) for number, lines in rtl.items()}, seed % 2
        kind = r"( x ?\d+ 0x\w*)(\w)" if seed % 4 < 2 else r"( mem 0x\w+ 0x\w*)(\w)"
        at = chance.choice([i for i, line in enumerate(wrong[hart]) if re.search(kind, line)])
        wrong[hart][at] = re.sub(kind, lambda found: found[1] + "%x" % (int(found[2], 16) ^ 1), wrong[hart][at], count=1)
        status, rows, err = compare(wrong)
        found = [(row["lane"], int(row["line_a"]) + 1) for row in rows]  # the line of -l comes before it
        checker.check("a wrong value is found in its hart, where it is", (status, found) == (1, [(f"hart{hart}", committed[hart][at // 2])]), f"{at // 2}: {found}")
    moved, count = late(rtl[1], random.Random(1), 4)
    checker.check("a result of the second hart is late", count > 0, count)
    status, rows, _ = compare({0: rtl[0], 1: moved})
    checker.check("which is a difference of that hart", status == 1 and {row["lane"] for row in rows} == {"hart1"}, rows[:2])
    checker.check("but not within a window", compare({0: rtl[0], 1: moved}, "--window", 4)[:2] == (0, []))
    lines = text.splitlines(keepends=True)
    by_hart = write(quick_place, "by_hart", "".join([line for line in lines if line.startswith("core   1")] + [line for line in lines if line.startswith("core   0")]))
    checker.check("the order of harts is no difference", compare(rtl, log=by_hart)[:2] == (0, []), compare(rtl, log=by_hart))


def test_csr_prefix(trawl, checker, quick_place):
    text = lzma.decompress((CORPUS / "calls64.both.log.xz").read_bytes()).decode()
    other = text.replace("c768_mstatus 0x8000000a00006", "c768_mstatus 0x8000000a00007")
    paths = [write(quick_place, "a", text), write(quick_place, "b", other)]
    for name, wanted in (("csr:mstatus", 0), ("mstatus", 0), ("csr:mtvec", 1)):
        status, out, err = run(trawl, "diff", "-q", *paths, "--ignore", name)
        checker.check("a control and status register is ignored by its name", status == wanted, f"{name} {status} {err}")


def test_tables(trawl, checker, quick_place):
    """What riscv-dv's converter makes of a log (with -f) compares with the log: every instruction, every register."""
    text = lzma.decompress((CORPUS / "hello64.both.log.xz").read_bytes()).decode()
    steps, _ = forms.steps_of(text)
    steps = [step for step in steps if not step.trap]
    lines = ["pc,instr,gpr,csr,binary,mode,instr_str,operand,pad\r\n"]
    for step in steps:
        gpr = ";".join(f"{forms.ABI[int(name[1:])]}:{value}" for name, value in step.registers.items() if name[0] == "x")
        csr = ";".join(f"c{number}_{name}:{value}" for name, (number, value) in step.csrs.items())
        lines.append(f'{step.pc:016x},,{gpr},{csr},{step.code:08x},{step.mode},"{step.text}",,\r\n')
    spike, table = write(quick_place, "spike", text), quick_place / "table.csv"
    table.write_bytes("".join(lines).encode())
    status, out, err = run(trawl, "diff", spike, table, "--registers")
    checker.check("a log and its table are equal", status == 0, out[:600] + err)
    number = next(i for i, line in enumerate(lines) if i > 100 and ",a5:" in line)
    lines[number] = re.sub(r"(a5:\w{15})(\w)", lambda found: found[1] + "%x" % (int(found[2], 16) ^ 1), lines[number])
    table.write_bytes("".join(lines).encode())
    status, out, err = run(trawl, "diff", spike, table, "--registers", "--force-index", "--format", "csv")
    rows = out.splitlines()[1:]
    checker.check("a wrong value in a table is found", status == 1 and len(rows) == 1, f"{rows} {err}")
    status, out, err = run(trawl, "profile", table)
    checker.check("a table has no calls", status != 0 and "no calls" in err, err)
