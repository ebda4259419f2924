"""The browser in a tmux terminal: the screen after keys, compared with reviewed screens.

usage: tests/run.py browse [--accept] [-k NAME]

The screens are in tests/browser/screens.txt; --accept writes the current ones: review the changes. Scenarios are in browse_scenarios.py;
tools/compare_browser.py compared those of its first list with the reference.
"""

import lzma
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from browse_scenarios import A64, OWN_SCENARIOS, SCENARIOS
from libtrawl import Library
from tmux_screen import Screen

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
SCREENS = ROOT / "tests" / "browser" / "screens.txt"


def read_screens():
    """The expected screens by their names."""
    screens, name = {}, None
    for line in SCREENS.read_text().split("\n") if SCREENS.exists() else []:
        if line.startswith("=== "):
            name = line[4:]
            screens[name] = []
        elif name:
            screens[name].append(line)
    return {name: "\n".join(lines).strip("\n") for name, lines in screens.items()}


def keep_names(programs, trace, image):
    """An index that contains the names and lines of an image."""
    subprocess.run([programs / "trawl", "index", "--no-sync", f"--image={image}", trace], check=True, timeout=60,
                   capture_output=True)


def start(programs, scenario, directory):
    """The program of a scenario on its screen, ready for keys."""
    name, trace, image, width, height, options, _ = scenario
    place = directory / name
    place.mkdir()
    made = place / (Path(trace).name.removesuffix(".xz") if "/" in trace else f"{trace}.tarmac")
    if trace.endswith(".xz"):
        made.write_bytes(lzma.decompress((CORPUS / trace).read_bytes()))
    elif "/" in trace:
        shutil.copy(CORPUS / trace, made)
    elif (CORPUS / "traces" / f"{trace}.tarmac").exists():
        shutil.copy(CORPUS / "traces" / f"{trace}.tarmac", made)
    else:
        made.write_bytes(TRACES[trace])
    command = ["trawl", "browse"] if "trawl" in options else ["tarmac-browser"]
    for option in options:
        if option.startswith("@index:"):
            keep_names(programs, made, CORPUS / "elf" / f"{option.removeprefix('@index:')}.elf")
    words = [option for option in options if option != "trawl" and not option.startswith("@index:")]
    arguments = [word.replace("@programs", str(CORPUS / "programs")) for word in words]
    # At the first event; without a place, trawl begins at the interesting one.
    if command == ["trawl", "browse"] and not {"--at", "--lane", "@opens"} & set(arguments):
        arguments += ["--at", "event:0"]
    arguments = [word for word in arguments if word != "@opens"]
    if image:
        arguments.append(f"--image={CORPUS}/{image}" if "/" in image else f"--image={CORPUS}/elf/{image}.elf")
    screen = Screen([str(programs / command[0]), *command[1:], *arguments, made.name], width, height, cwd=place)
    if not screen.wait_for("" if height < 24 else "at event" if "/" in trace and ".tarmac" not in trace else "Core regs at"):
        raise TimeoutError(f"{name}: nothing is shown:\n{screen.capture()}")
    screen.settle()
    return screen


# Traces that no program has made.
TRACES = {
    "odd": b"".join([
        b"1 clk IT (1) 00008000 e1a00000 A svc_s : NOP\n",
        b"1 clk R r0 00000001\n",
        b"2 clk IT (2) 00008004 e1a00000 A svc_s : tab\there \x1b[31mred\x1b[0m\x07 \xc3\xa9\xe4\xb8\x96 \xff\x9b2J end\n",
        b"3 clk IT (3) 00008008 eafffffe A svc_s : B        #0x8008\n",
        b"4 clk IT (4) 00008008 eafffffe A svc_s : B        #0x8008\n",
        b"5 clk IT (5) 00008008 eafffffe A svc_s : B        #0x8008\n",
        b"5 clk ST 00009000 ........ ........ ........ 01020304\n",
        b"         00009010 ........ ........ 11121314 ........\n",
        b"6 clk IT (6) 0000800c e1a00000 A svc_s : NOP\n",
    ]),
    "sve": b"".join([
        b"1 clk IT (1) 00008000 2538c000 O EL1h_n : MOV      z0.b,#0\n",
        b"1 clk R Z0 0f0e0d0c0b0a0908_0706050403020100_1f1e1d1c1b1a1918_1716151413121110\n",
        b"2 clk IT (2) 00008004 2518e3e0 O EL1h_n : PTRUE    p0.b\n",
        b"2 clk R P0 0000ff0f\n",
        b"3 clk IT (3) 00008008 91000400 O EL1h_n : ADD      x0,x0,#1\n",
        b"3 clk R X0 0000000000009000\n",
        b"4 clk IT (4) 0000800c b9000001 O EL1h_n : STR      w1,[x0]\n",
        b"4 clk MW8 00009000:000000009000 00006f6c_6c656873\n",
        b"5 clk IT (5) 00008010 d503201f O EL1h_n : NOP\n",
    ]),
    "nanoseconds": b"".join(b"%d ns IT (%d) %08x e2800001 A svc_s : ADD      r0,r0,#1\n%d ns R r0 %08x\n" % (10 * i, i, 0x8000 + 4 * i, 10 * i, i)
                            for i in range(1, 9)),
    "tall": b"".join([b"1 clk IT (1) 00008000 e1a00000 A svc_s : NOP\n"]
                     + [b"2 clk R r%d %08x\n" % (i % 12, i) for i in range(60)]
                     + [b"%d clk IT (1) 00008004 e1a00000 A svc_s : NOP\n" % i for i in range(3, 30)]),
}


def show(screen):
    text, cursor = screen.settle()
    x, y, is_visible = cursor.split(",")
    place = f"cursor {x},{y}" if is_visible == "1" else "no cursor"
    return text.rstrip("\n") + f"\n--- {place}"


def groups_of(keys):
    """Keys that are pressed without waiting. A filter, and what is pressed in it, depend on how far a search is: these wait for it."""
    groups = [[]]
    for key in keys:
        if key == "&" and groups[-1]:
            groups.append([])
        groups[-1].append(key)
        if key == "&":
            groups.append([])
    return [group for group in groups if group]


def run_scenario(programs, scenario, directory):
    screen = start(programs, scenario, directory)
    try:
        for keys in groups_of(scenario[6]):
            screen.keys(*keys)
        return show(screen)
    finally:
        screen.close()


# --- Other tests than screens --------------------------------------------------------------------


@pytest.fixture(autouse=True)
def tmux():
    if not shutil.which("tmux"):
        pytest.skip("no tmux")


def test_end_of_input(programs, place):
    """The browser ends when its input ends, on any terminal."""
    shutil.copy(CORPUS / "traces" / "sort-a64.it.tarmac", place / "end.tarmac")
    run = subprocess.run([programs / "tarmac-browser", "end.tarmac"], cwd=place, stdin=subprocess.DEVNULL,
                         capture_output=True, timeout=20, check=False, env={**os.environ, "TERM": "xterm"})
    assert run.returncode == 0, run
    run = subprocess.run([programs / "tarmac-browser", "end.tarmac"], cwd=place, stdin=subprocess.DEVNULL,
                         capture_output=True, timeout=20, check=False, env={**os.environ, "TERM": "nonsuch"})
    assert (run.returncode, run.stdout, run.stderr) == (1, b"", b"Error opening terminal: nonsuch.\n"), run


def test_quitting(programs, place):
    """q ends with success; an interrupt restores the terminal and ends with failure."""
    for key, status in (("q", 0), ("C-c", 1)):
        scenario = (f"quit-{status}", "sort-a64.it", "", 80, 24, [], [])
        screen = start(programs, scenario, place)
        screen.keys(key)
        assert screen.wait_for(f"[ended {status}]"), screen.capture()
        screen.close()


def test_sizes(programs, place):
    """No size is too small or too large, and the screen recovers after a small one."""
    for name in ("tarmac-browser", "trawl"):
        options = ["trawl"] if name == "trawl" else []
        screen = start(programs, (f"sizes-{name}", "sort-a64.it", "sort-a64", 80, 24, options, []), place)
        screen.keys("S", "V", "m", "'sp", "Enter")
        for width, height in ((1, 1), (2, 1), (1, 5), (20, 6), (200, 100), (3, 40), (80, 24)):
            screen.resize(width, height)
            screen.keys("Down", "Tab", "F1", "q", "Up", "C-l")
        assert screen.wait_for("Core regs at"), screen.capture()
        screen.close()


def test_colours(programs, place):
    """Colours distinguish the parts of a line; without colours, the selection is in reverse video."""
    for options in ([], ["--no-colour"]):
        name = f"colours-{len(options)}"
        screen = start(programs, (name, "sort-a64.it", "", 80, 24, options, []), place)
        screen.keys("l", "'1500", "Enter", "a")
        text = screen.capture(with_styles=True)
        has_colour = re.search(r"\x1b\[[0-9;]*3[1-6]", text)
        assert bool(has_colour) == (not options), text
        selected = next(line for line in text.split("\n") if "clk" in line and re.search(r"44m|[\[;]7m", line))
        assert "730" in selected, selected
        screen.close()


def test_inert(programs, place):
    """Only printable characters of a trace reach the terminal."""
    screen = start(programs, ("inert", "odd", "", 100, 24, [], []), place)
    log = place / "inert.log"
    screen.tmux("pipe-pane", f"cat > {log}")
    screen.keys("Down", "Down", "Up", "End", "Home")
    screen.keys("C-l")
    written = log.read_bytes()
    assert b"\x1b[31mred" not in written and b"\x9b2J" not in written and b"\x07" not in written, written
    screen.close()


def test_export(programs, place):
    """Visible lines are written as in the trace; folded ones are left out."""
    screen = start(programs, ("export", "sort-a64.it", "", 100, 36, ["trawl"], []), place)
    trace = (CORPUS / "traces" / "sort-a64.it.tarmac").read_bytes()
    screen.keys("z", "'all.txt", "Enter")
    assert screen.wait_for("Written to all.txt"), screen.capture()
    assert (place / "export" / "all.txt").read_bytes() == trace
    screen.keys("{", "z", "'folded.txt", "Enter")
    assert screen.wait_for("Written to folded.txt"), screen.capture()
    kept = (place / "export" / "folded.txt").read_bytes().split(b"\n")
    lines = trace.split(b"\n")
    assert 50 < len(kept) < len(lines) - 3000, len(kept)
    rest = iter(lines)
    assert all(line in rest for line in kept), "not in the order of the trace"
    screen.close()


def call_rows(index, lane):
    """The rows of a thread of an XRay log, computed with a stack: time, depth, whether it is an exit, function, duration."""
    events = [index.event_of_lane(lane, number) for number in range(index.lane(lane).events)]
    events = [index.event(event) for event in events]
    rows, stack = [], []
    for event in events:
        is_exit = event.flags >> 8 & 3 in (1, 2)
        if not is_exit:
            stack.append(len(rows))
            rows.append([event.time, len(stack) - 1, False, event.pc >> 1, None])
            continue
        duration = None
        while stack and any(rows[row][3] == event.pc >> 1 for row in stack):
            row = rows[stack.pop()]
            row[4] = event.time - row[0]
            if row[3] == event.pc >> 1:
                duration = row[4]
                break
        rows.append([event.time, len(stack), True, event.pc >> 1, duration])
    return rows


def test_calls(programs, place):
    """Rows of an XRay log are its entries and exits with their durations; folded, the outermost ones."""
    library = Library(programs.parent / "lib" / "libtrawl.so")
    for log, threads in (("threads.fdr", 6), ("recursion.basic", 1), ("tailcall.fdr", 1)):
        screen = start(programs, (f"calls-{log}", f"xray/{log}.xray", "", 100, 30, ["trawl"], []), place)
        made = place / f"calls-{log}"
        subprocess.run([programs / "trawl", "index", made / f"{log}.xray"], check=True, timeout=60)
        with library.open(made / f"{log}.xray.index") as index:
            for thread in range(threads):
                expected = call_rows(index, thread)
                start_time = min(index.event(index.event_of_lane(lane, 0)).time for lane in range(threads))
                for key, rows in (("}", expected), ("{", [row for row in expected if row[1] == 0])):
                    name = f"{thread}-{'all' if key == '}' else 'folded'}.txt"
                    screen.keys(key, "z", "'" + name, "Enter")
                    assert screen.wait_for(f"Written to {name}"), screen.capture()
                    shown = (made / name).read_text().splitlines()
                    assert len(shown) == len(rows), (log, thread, key, len(shown), len(rows))
                    for text, row in zip(shown, rows):
                        seconds = row[0] - start_time
                        arrow = "<-" if row[2] else "->"
                        wanted = f"{seconds // 10**9:5}.{seconds % 10**9:09}  {' ' * row[1]}{arrow} #{row[3]}  "
                        assert text.startswith(wanted), (log, thread, text, wanted)
                        if row[4] is not None and row[4] < 1000:
                            assert text.removesuffix("  tail call").endswith(f"  {row[4]} ns"), (log, text, row)
                screen.keys("L")
                if thread + 1 == threads and threads > 1:
                    assert screen.wait_for("All lanes"), screen.capture()
        screen.close()


def test_two_traces(programs, place):
    """Positions in two traces move together, and the first difference in executed instructions is found."""
    place = place / "two"
    place.mkdir()
    good = (CORPUS / "traces" / "sort-a64.it.tarmac").read_text()
    lines = good.splitlines(keepends=True)
    executed = [i for i, line in enumerate(lines) if " IT " in line or " IS " in line]
    at = executed[500]
    address = lines[at].split()[4]
    lines[at] = lines[at].replace(address, "00080abc", 1)
    del lines[executed[20]:executed[23]]  # an earlier difference
    (place / "good.tarmac").write_text(good)
    (place / "bad.tarmac").write_text("".join(lines))
    command = [str(programs / "trawl"), "browse", "good.tarmac", "bad.tarmac", "--segment-events", "100"]
    with Screen(command, 160, 40, cwd=place) as screen:
        assert screen.wait_for("F1 keys"), screen.capture()
        screen.settle()

        def state():
            """The lines of the positions, and those below them."""
            places = [int(number) for number in re.findall(r"Line:(\d+)", screen.settle()[0])]
            return places, [[*text.splitlines(), ""][n - 1] for text, n in zip((good, "".join(lines)), places)]

        def position(keys):
            screen.keys(*keys)
            return state()

        def pc_of(line):
            return line.split()[4]

        first, texts = position("~")
        assert pc_of(texts[0]) != pc_of(texts[1]) and first[0] == first[1] == executed[20] + 1, (first, texts)
        assert f"0x{int(pc_of(texts[0]), 16):x} comes next here, 0x{int(pc_of(texts[1]), 16):x} there" in screen.capture()
        # Only the right side moves to where both are equal again, and both move from there on.
        left, _ = position(["F8", "Down", "Down", "Down", "F8"])
        assert left == [executed[23] + 1, first[1]], left
        second, texts = position("~")
        assert second == [at + 1, at + 1 - (executed[23] - executed[20])], (second, at)
        assert f"0x{int(address, 16):x} comes next here, 0x80abc there" in screen.capture()
        both, _ = position(["Up", "BTab", "Up"])
        assert both == [executed[498] + 1, executed[498] + 1 - (executed[23] - executed[20])], both
        position(["BTab", "End"])
        position("~")
        assert "No difference up to the end of both" in screen.capture(), screen.capture()
    for words, status, said in ((["nofile"], 1, "nofile: open: No such file"), (["/dev/null"], 1, "/dev/null"),
                                (["bad.tarmac", "--only-index"], 1, "--only-index takes one trace"),
                                (["bad.tarmac", "third"], 2, "third")):
        run = subprocess.run([programs / "trawl", "browse", "good.tarmac", *words], cwd=place, stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, timeout=20, check=False)
        assert run.returncode == status and said in run.stderr, (words, run)


CONDITIONS = {
    "x0 == 0 && x1 != 0": lambda x, m: x("x0") == 0 and x("x1") != 0,
    "u32(numbers) > u32(numbers+4)": lambda x, m: m(NUMBERS, 4) > m(NUMBERS + 4, 4),
    "s32(sp+12) < 3 || x2 & 1": lambda x, m: either(lambda: signed(m(x("sp") + 12, 4), 32) < 3, lambda: x("x2") & 1),
    "u8(x8) == 0xd2": lambda x, m: m(x("x8"), 1) == 0xD2,
    "pc == swap": lambda x, m: x("pc") == SWAP,
}
NUMBERS, SWAP = 0x81010, 0x80AC0


def signed(value, bits):
    return value - (value >> bits - 1 << bits)


class Unknown(Exception):
    """A value is unknown at an event."""


def either(*sides):
    """Whether a side is true; an unknown side does not matter if the other is true."""
    is_unknown = False
    for side in sides:
        try:
            if side():
                return True
        except Unknown:
            is_unknown = True
    if is_unknown:
        raise Unknown
    return False


def becomes_true(index, condition):
    """The events at which a condition becomes true, found by evaluating it at each event."""

    def number(values, known):
        if not all(known):
            raise Unknown
        return int.from_bytes(values, "little")

    def holds(event):
        def register(name):
            if name == "pc":
                return index.event(event + 1).pc if event + 1 < index.info.events else 0
            place = index.register_named(2, name.encode())
            return number(*index.registers(0, event, place.offset, place.size_bytes))

        try:
            return bool(condition(register, lambda address, size: number(*index.memory(event, address, size))))
        except Unknown:
            return False

    states = [holds(event) for event in range(index.info.events)]
    return [event for event, state in enumerate(states) if state and not (event and states[event - 1])]


def test_conditions(programs, place):
    """A search by a condition finds every event at which it becomes true, and no other."""
    library = Library(programs.parent / "lib" / "libtrawl.so")
    options = ["trawl", "--at", "start", "--segment-events", "1000"]
    screen = start(programs, ("conditions", "sort-a64.it", A64, 150, 36, options, []), place)

    def position():
        screen.keys("y")
        assert screen.wait_for("The position is event:"), screen.capture()
        return int(re.search(r"The position is event:(\d+)", screen.capture()).group(1))

    with library.open(place / "conditions" / "sort-a64.it.tarmac.index") as index:
        for text, condition in CONDITIONS.items():
            hits = becomes_true(index, condition)
            assert hits, text
            screen.keys(":", "'start", "Enter", "C", "'" + text, "Enter")
            assert screen.wait_for(f"at {len(hits)} event"), f"{text}: {len(hits)}: {screen.capture()}"
            found = [position()]
            for _ in range(3):
                screen.keys("n")
                found.append(position())
            assert found == [hits[i % len(hits)] for i in range(4)], (text, found, hits[:4])
            screen.keys(":", "'start", "Enter", "N")
            assert position() == hits[-1], text
    screen.close()


def test_reads(programs, place):
    """A search for reads of memory finds the loads that overlap it."""
    lines = (CORPUS / "traces" / "sort-a64.it.tarmac").read_text().split("\n")
    loads = [(number, int(match[2], 16), int(match[1])) for number, line in enumerate(lines, 1)
             if (match := re.search(r" MR(\d+) ([0-9a-f]+):", line))]
    screen = start(programs, ("reads", "sort-a64.it", A64, 150, 44, ["trawl", "--at", "start"], []), place)
    for thing, at, size in (("0x81012:1", 0x81012, 1), ("0x81020:16", 0x81020, 16), ("0x3efffb0:32", 0x3EFFFB0, 32)):
        wanted = [number for number, address, bytes_ in loads if address < at + size and at < address + bytes_]
        screen.keys("v", "'" + thing, "Enter", ":", "'start", "Enter", "Tab", "Tab", "End", "u")
        assert screen.wait_for(f"reads of {hex(at)}:{size}: in {len(wanted)} line"), (thing, screen.capture())
        screen.keys("Tab")
    screen.close()


def rows_of_events(lines):
    """The lines of each event of a trace of instructions."""
    events = []
    for line in lines:
        if re.search(" clk I[TS] ", line) or not events:
            events.append([])
        events[-1].append(line)
    return events


def test_filters(programs, place):
    """A filter shows exactly the events that read or write a range, or that a search found."""
    lines = (CORPUS / "traces" / "sort-a64.it.tarmac").read_text().splitlines()
    events = rows_of_events(lines)
    screen = start(programs, ("filters", "sort-a64.it", A64, 150, 44, ["trawl", "--at", "time:728"], []), place)

    def written(name):
        screen.keys("z", "'" + name, "Enter")
        assert screen.wait_for(f"Written to {name}"), screen.capture()
        return (place / "filters" / name).read_text().splitlines()

    def touches(line, start, size):
        match = re.search(r" M[RW](\d+) ([0-9a-f]+):", line)
        return match and int(match[2], 16) < start + size and start < int(match[2], 16) + int(match[1])

    def expected(takes):
        return [line for event in events if any(takes(line) for line in event) for line in event]

    # The second line of the event writes to 0x81020:4.
    screen.keys("a", "a", "&")
    assert screen.wait_for("[ONLY READS AND WRITES]"), screen.capture()
    touched = expected(lambda line: touches(line, 0x81020, 4))
    loads = [line for line in touched if touches(line, 0x81020, 4) and " MR" in line]
    assert len(loads) > 10, len(loads)
    assert written("touches.txt") == touched
    screen.keys("&")
    assert written("all.txt") == lines
    screen.keys("/", "'MW4 .*ffffff63", "Enter", "&")
    assert screen.wait_for("[ONLY WHAT WAS FOUND]"), screen.capture()
    assert written("found.txt") == expected(lambda line: re.search("MW4 .*ffffff63", line))
    screen.keys("Escape")
    assert written("ended.txt") == lines
    text, condition = next(iter(CONDITIONS.items()))
    with Library(programs.parent / "lib" / "libtrawl.so").open(place / "filters" / "sort-a64.it.tarmac.index") as index:
        hits = becomes_true(index, condition)
    screen.keys("C", "'" + text, "Enter")
    assert screen.wait_for(f"at {len(hits)} event"), screen.capture()
    screen.keys("&")
    assert screen.wait_for("[ONLY WHAT WAS FOUND]"), screen.capture()
    assert hits and written("condition.txt") == [line for hit in hits for line in events[hit]]
    screen.close()


def test_marks(programs, place):
    """Marks and notes are stored next to the trace on request, and read again; invalid lines are reported."""
    screen = start(programs, ("marks", "sort-a64.it", "", 100, 36, ["trawl"], []), place)
    kept = place / "marks" / "sort-a64.it.tarmac.marks"
    screen.keys("t", "'700", "Enter", '"', "'b second", "Enter", "Home", "Up", '"', "'a", "Enter")
    assert not kept.exists()
    screen.keys("!")
    assert screen.wait_for("Marks are written to"), screen.capture()
    screen.close()
    lines = kept.read_text().split("\n")
    assert re.fullmatch(r"b event:\d+ second", lines[1]) and lines[0].startswith("a ") and lines[2:] == [""], lines
    kept.write_text(kept.read_text() + "c event:99999999\nd nonsense\n\x1b[31me event:5 \x1b[31mred\ne event:5 \x1b[31mred\n")
    shutil.copytree(place / "marks", place / "marks-again-kept")
    options = [str(place / "marks-again-kept" / "sort-a64.it.tarmac")]
    screen = Screen([str(programs / "trawl"), "browse", *options], 150, 36, cwd=place)
    assert screen.wait_for("3 lines that name no mark of this trace"), screen.capture()
    screen.keys("''", "'b", "Enter")
    assert screen.wait_for("b: second"), screen.capture()
    assert screen.wait_for("Time:700"), screen.capture()
    screen.keys("''", "'e", "Enter")
    assert screen.wait_for("e: ^[[31mred"), screen.capture()
    screen.close()


def test_settings(programs, place):
    """Settings in the XDG directory are used; an invalid line is reported."""
    home = place / "settings-home"
    (home / "trawl").mkdir(parents=True)
    (home / "trawl" / "browse.conf").write_text("# mine\nindentation no\nkeys cr\n\ntheme light\n")
    trace = place / "settings.tarmac"
    shutil.copy(CORPUS / "traces" / "sort-a64.it.tarmac", trace)
    command = [str(programs / "trawl"), "browse", "--at", "line:1485", str(trace)]
    for fault in ("", "nonsense 5\n"):
        with (home / "trawl" / "browse.conf").open("a") as kept:
            kept.write(fault)
        screen = Screen(command, 150, 36, cwd=place, env={"XDG_CONFIG_HOME": str(home)})
        assert screen.wait_for("Calls at line"), screen.capture()
        text = screen.capture()
        assert "\n728 clk" in text and "Core regs" not in text, text
        assert ("browse.conf: line 6 is no setting" in text) == bool(fault), text
        screen.close()


def test_changed_trace(programs, place):
    """A trace that is written to while it is shown is reported."""
    screen = start(programs, ("changed", "sort-a64.it", "", 100, 36, ["trawl"], []), place)
    with (place / "changed" / "sort-a64.it.tarmac").open("ab") as trace:
        trace.write(b"more\n")
    screen.keys("Down")
    assert screen.wait_for("The trace has grown: this shows its earlier contents"), screen.capture()
    with (place / "changed" / "sort-a64.it.tarmac").open("r+b") as trace:
        trace.write(b"9 clk")
        trace.truncate(5000)
    screen.keys("Down")
    assert screen.wait_for("The trace was changed: what is shown here may be wrong"), screen.capture()
    screen.close()


def rebuild(programs, trace, *options):
    """Replaces the index that is in use."""
    subprocess.run([programs / "trawl", "index", "--no-sync", "--force-index", *options, trace], check=True, timeout=60,
                   capture_output=True)


def test_replaced_index(programs, place):
    """A rebuilt index is used, and position, folds and panes stay the same; one that does not fit is not used."""
    for name, keys in (("alone", ["c", "F", "X", "d", "R"]), ("split", ["|", "c", "BTab", "{", "Down"])):
        options = ["trawl", "--segment-events", "1000"]
        screen = start(programs, (f"renew-{name}", "sort-a64.it", "", 300, 60, options, []), place)
        trace = place / f"renew-{name}" / "sort-a64.it.tarmac"
        index = trace.with_name(trace.name + ".index")
        screen.keys("{", "t", "'600", "Enter", *keys)
        before = screen.keys("/", "'no such thing", "Enter", "Escape")
        for _ in range(2):
            rebuild(programs, trace, "--segment-events", "300")
            text, cursor = screen.keys("Escape")
            assert "The index was replaced: the new one is used now" in text, text
            shown = text.rstrip("\n").rpartition("\n")[0]
            assert (shown, cursor) == (before[0].rstrip("\n").rpartition("\n")[0], before[1]), f"{before[0]}\n{text}"
            assert "was replaced" not in screen.keys("Escape")[0], screen.capture()
        assert not re.search(r"PC:(?!0x)\w", text), text
        rebuild(programs, trace, f"--image={CORPUS}/elf/sort-a64.elf")
        named = screen.keys("Escape")[0]
        assert re.search(r"PC:(?!0x)\w", named), named
        cut = index.with_name("cut")
        cut.write_bytes(index.read_bytes()[:5000])
        cut.rename(index)
        text = screen.keys("Escape")[0]
        assert "The previous index stays in use: index file sort-a64.it.tarmac.index is damaged" in text, text
        assert text.rpartition("\nThe ")[0] == named.rpartition("\nThe ")[0], text
        shutil.copy(CORPUS / "traces" / "hash-a64.it.tarmac", place / f"other-{name}")
        rebuild(programs, place / f"other-{name}")
        (place / f"other-{name}.index").rename(index)
        assert "was made from other contents of trace file" in screen.keys("Escape")[0], screen.capture()
        index.unlink()
        last = screen.keys("Escape")[0]
        assert "The index" not in last and "The previous index" not in last, last
        screen.close()
    screen = start(programs, ("renew-written", "sort-a64.it", "", 100, 36, ["trawl"], []), place)
    with (place / "renew-written" / "sort-a64.it.tarmac.index").open("r+b") as index:
        index.truncate(5000)
    text = screen.keys("Down")[0]
    assert "sort-a64.it.tarmac.index: was changed while it was read" in text and "[ended 1]" in text, text
    screen.close()


def test_replaced_trace(programs, place):
    """If a trace is replaced by another file, this is reported; the previous one stays on the screen."""
    screen = start(programs, ("other-trace", "sort-a64.it", "", 100, 36, [], []), place)
    trace = place / "other-trace" / "sort-a64.it.tarmac"
    before = screen.keys("Down", "Up")[0]
    other = trace.with_name("other")
    other.write_bytes(trace.read_bytes()[1000:])
    other.rename(trace)
    after = screen.keys("C-l", "Down", "Up")[0]
    assert "The trace was replaced: this shows the previous one" in after, after
    assert before.split("\n")[:20] == after.split("\n")[:20], f"{before}{after}"
    screen.close()


def test_image_misfit(programs, place):
    """An image of another program is reported in the browser."""
    screen = start(programs, ("misfit", "sort-a64.it", "hash-a64", 120, 30, ["trawl"], []), place)
    assert screen.wait_for("hash-a64.elf does not fit sort-a64.it.tarmac"), screen.capture()
    screen.close()




@pytest.mark.parametrize("scenario", SCENARIOS + OWN_SCENARIOS, ids=lambda scenario: scenario[0])
def test_scenario(programs, place, accept, scenario):
    screen, expected = run_scenario(programs, scenario, place), read_screens()
    if accept:
        assert "PYTEST_XDIST_WORKER" not in os.environ, "--accept goes with one suite"
        expected[scenario[0]] = screen
        names = [name for name, *_ in SCENARIOS + OWN_SCENARIOS if name in expected]
        SCREENS.write_text("\n".join(f"=== {name}\n{expected[name]}\n" for name in names))
    assert screen == expected.get(scenario[0], "(nothing)")


def test_origin(programs, place):
    """Y shows where a byte comes from; Return goes to a step."""
    screen = start(programs, ("origin", "corrupt-a64.it", A64, 150, 44, ["trawl", "--at", "pc:0x807d0"], []), place)
    screen.keys("m", "'0x81068", "Enter", "Tab", "Tab", "Y")
    assert screen.wait_for("Origin of 0x81068:1"), screen.capture()
    shown = screen.capture()
    for text in ("line 2740", "stored", "line 2736", "loaded", "from before the trace"):
        assert text in shown, (text, shown)
    screen.close()
