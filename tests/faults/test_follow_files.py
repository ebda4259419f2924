"""`trawl index --follow` of several files: each index that appears while they are being written is the index of the beginning of each
file, up to where their order is certain. A model in this file determines that.

    tests/run.py follow_files

The writer waits for indexes, never for a time, as in test_follow.py.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
import quick
from index_reader import FILES, IDENTITY, Container, IdentityOnly
from served import Served
from test_growing import has_leases
from test_merged_files import lines_of_cores, merged

ROOT = Path(__file__).resolve().parents[2]
CORES = (ROOT / "corpus/traces/twocores-a64.it.tarmac").read_bytes()
TIMEOUT_S = 60
FIRST_BYTES = 65536  # of the text; before that, nothing is indexed
GROWN = re.compile(rb"covers the first \d+ lines, (\d+) of (\d+) bytes, of a trace that has grown")
TIME = re.compile(rb"^ *(\d+) (?:clk|ns) ")
STEPS = 6
ASKED = [["state", "--at", "end"], ["writes", "sp", "--all", "--format", "csv"], ["stack", "--at", "end"], ["state", "--at", "end", "--context", "9"]]


def certain(files, final=()):
    """How much of each file (name and bytes) certainly comes first: for that, the next line of each file must be known, unless nobody
    writes the file any more."""
    lines = [data.splitlines(keepends=True) for data in files]
    for number, of_file in enumerate(lines):
        if number not in final and of_file and not of_file[-1].endswith(b"\n"):
            of_file.pop()
    at, sizes, times, current = [0] * len(files), [0] * len(files), [0] * len(files), None
    while True:
        if current is not None and at[current] < len(lines[current]) and not TIME.match(lines[current][at[current]]):
            chosen = current  # a line without a time stays with the previous one
        else:
            looked_at = range(len(files)) if current is None else [current]
            if any(at[i] == len(lines[i]) and i not in final for i in looked_at):
                return sizes
            heads = []
            for i in range(len(files)):
                if at[i] < len(lines[i]):
                    found = TIME.match(lines[i][at[i]])
                    times[i] = int(found.group(1)) if found else times[i]
                    heads.append((times[i], i))
            if not heads:
                return sizes
            chosen = min(heads)[1]
        sizes[chosen] += len(lines[chosen][at[chosen]])
        at[chosen] += 1
        current = chosen


class Followed:
    """Files that are being written, by name, and their follower. `pieces`: of one text, instead of cores."""

    def __init__(self, checker, place, data, pieces=False, options=()):
        self.checker, self.place, self.data, self.pieces = checker, place / "files", data, pieces
        self.trawl, self.options = str(checker.trawl), ["--segment-events", "300", "--chunk-size", "16K", *options]
        self.copies = place / "copies"
        self.place.mkdir()
        self.copies.mkdir()
        self.names = list(data)
        self.writers = {}
        self.written = dict.fromkeys(data, 0)
        self.final = set()
        self.process, self.seen = None, {}
        self.index = self.place / f"{self.names[0]}.files.index"

    def words(self):
        first, *rest = self.names
        return [first, "--then", "p.*"] if self.pieces else [first, *(word for name in rest for word in ("--with", name))]

    def write(self, name, size):
        if name not in self.writers:
            self.writers[name] = open(self.place / name, "ab", buffering=0)
        self.writers[name].write(self.data[name][self.written[name] : size])
        self.written[name] = max(min(size, len(self.data[name])), self.written[name])

    def close(self, name):
        self.writers.pop(name).close()
        self.final.add(name)

    def start(self):
        self.process = subprocess.Popen([self.trawl, "index", "--follow", *self.options, *self.words()], cwd=self.place,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def expected(self):
        """How much of each file an index can cover by now."""
        parts = [self.data[name][: self.written[name]] for name in self.names]
        if not self.pieces:
            return certain(parts, {self.names.index(name) for name in self.final})
        whole = b"".join(parts)
        left = len(whole) if len(self.final) == len(self.names) else whole.rfind(b"\n") + 1
        sizes = []
        for part in parts:
            sizes.append(min(left, len(part)))
            left -= sizes[-1]
        return sizes

    def look(self):
        """Stores the current index, and returns how much of each file it covers. None: there is none."""
        try:
            state = self.index.read_bytes()
        except FileNotFoundError:
            return None
        sizes = Container(IdentityOnly(state).sections[FILES]).column(1)
        self.seen[tuple(sizes)] = state
        return list(sizes)

    def wait_for(self, wanted):
        wanted = [size for size in wanted]
        deadline = time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline and self.process.poll() is None:
            sizes = self.look()
            if sizes and sizes + [0] * (len(wanted) - len(sizes)) == wanted:
                return True
            time.sleep(0.005)
        return False

    def end(self, number=None):
        for name in list(self.writers) if number is None else []:
            self.close(name)
        if number is not None:
            self.process.send_signal(number)
        _, err = self.process.communicate(timeout=TIMEOUT_S)
        self.look()
        return self.process.returncode, err.decode(errors="replace")

    def run(self, *words, cwd=None):
        return quick.run([self.trawl, *words], cwd or self.place, timeout=TIMEOUT_S)

    def copy(self, sizes):
        """The beginning of each file, where nobody writes it, and their index, which is built at once."""
        for path in self.copies.iterdir():
            path.unlink()
        for name, size in zip(self.names, sizes):
            (self.copies / name).write_bytes(self.data[name][:size])
        return self.run("index", "--force-index", *self.options, *self.words(), cwd=self.copies)

    def check_state(self, sizes, state):
        made = self.copy(sizes)
        found, wanted = IdentityOnly(state), IdentityOnly((self.copies / self.index.name).read_bytes())
        what = f"the index of {sizes}"
        self.checker.check(f"{what}: sections", list(found.sections) == list(wanted.sections) and made.returncode in (0, 3), made)
        for number, section in wanted.sections.items():
            if number not in (IDENTITY, FILES):
                self.checker.check(f"{what}: section {number}", found.sections[number] == section)
        self.checker.check(f"{what}: identity", [found.identity[0], *found.identity[4:]] == [wanted.identity[0], *wanted.identity[4:]], (found.identity, wanted.identity))
        for part in (1, 2, 3):
            self.checker.check(f"{what}: files, {part}", Container(found.sections[FILES]).column(part) == Container(wanted.sections[FILES]).column(part))

    def check_states(self, at_least):
        self.checker.check(f"{at_least} states appear", len(self.seen) >= at_least, sorted(self.seen))
        for sizes, state in self.seen.items():
            self.check_state(sizes, state)
        left = sorted(set(os.listdir(self.place)) - {*self.names, self.index.name})
        self.checker.check("nothing is left", not left, left)

    def check_answers(self):
        """Compares answers while the files are written with those for truncated copies."""
        sizes = self.look()
        self.copy(sizes)
        for command, *rest in ASKED:
            got = self.run(command, *self.words(), "--no-index", *rest)
            expected = self.run(command, *self.words(), *rest, cwd=self.copies)
            # A line that is being written does not count where only it is missing.
            grown = GROWN.search(got.stderr)
            covered, whole = map(int, grown.groups()) if grown else (sum(sizes), sum(sizes))
            out = without_cover(got.stdout, covered, whole) if grown else got.stdout
            in_bounds = covered == sum(sizes) and covered <= whole <= sum(self.written.values())
            right = out == expected.stdout and expected.stdout and in_bounds and got.returncode == (3 if grown else 0)
            self.checker.check(f"{command} {rest} of {sizes}", right, (got, expected))
            is_told = b"of a trace that has grown" in got.stderr or b"bytes of whole lines" in got.stderr
            self.checker.check(f"{command}: is told", is_told or sum(sizes) == sum(self.written.values()), (got.stderr, sizes, self.written))


def without_cover(out, covered, whole):
    """An answer without what it says of how much of the trace it covers, which must be right."""
    text, found, said = out.partition(b"\ncovers ")
    if found:
        return text.rstrip(b"\n") + b"\n" if said == b"%d of %d bytes of the trace\n" % (covered, whole) else said
    head, *rows = out.splitlines()
    end = b",%d,%d" % (covered, whole)
    if not head.endswith(b",covered_bytes,trace_bytes") or not all(row.endswith(end) for row in rows):
        return out
    return b"".join(line + b"\n" for line in [head.removesuffix(b",covered_bytes,trace_bytes"), *(row.removesuffix(end) for row in rows)])


def files_of_cores():
    return {f"{core.decode()}.t": b"".join(lines) for core, lines in lines_of_cores(CORES, True)}


def longer(files, times):
    """The same lines repeatedly, with later times."""
    grown = {}
    for name, data in files.items():
        lines = data.splitlines(keepends=True)
        copies = []
        for turn in range(times):
            for line in lines:
                found = TIME.match(line)
                copies.append(b"%d" % (int(found.group(1)) + 1000 * turn) + line[found.end(1) :] if found else line)
        grown[name] = b"".join(copies)
    return grown


def step(followed, turn, count):
    """Writes more of each file, up to a place inside a line, not equally far in all."""
    for number, name in enumerate(followed.names):
        size = len(followed.data[name])
        followed.write(name, size * (turn + 1) // count - (137 + 5000 * ((turn + number) % 2) if turn + 1 < count else 0))


def test_cores(checker, place):
    followed = Followed(checker, place, longer(files_of_cores(), 3))
    step(followed, 2, STEPS)
    followed.start()
    for turn in range(2, STEPS):
        step(followed, turn, STEPS)
        checker.check(f"it keeps up in step {turn}", followed.wait_for(followed.expected()), (followed.look(), followed.expected()))
        followed.check_answers()
    if has_leases(place):
        status, err = followed.end()
        checker.check("all of it is in the end", followed.look() == [len(data) for data in followed.data.values()], followed.look())
    else:
        status, err = followed.end(signal.SIGINT)
    checker.check("status", status == 0, (status, err))
    followed.check_states(STEPS - 1)
    asked = followed.run("state", *followed.words(), "--no-index", "--at", "end")
    checker.check("it fits", b"index" not in asked.stderr and asked.returncode == 0, asked)
    checker.check("verified", followed.run("verify", *followed.words()).returncode == 0)


def test_one_core_ends_first(checker, place):
    """A file that nobody writes any more does not delay the others; one that is written slowly does."""
    if not has_leases(place):
        pytest.skip("no leases here, so who writes a file is not known")
    followed = Followed(checker, place, longer(files_of_cores(), 3))
    for name in followed.names:
        followed.write(name, len(followed.data[name]) // 2)
    slow, fast = followed.names
    followed.start()
    checker.check("half", followed.wait_for(followed.expected()), followed.look())
    followed.write(fast, len(followed.data[fast]))
    held_up = followed.expected()
    followed.write(slow, followed.data[slow].index(b"\n", len(followed.data[slow]) * 2 // 3) + 1)
    checker.check("more of the slow one", followed.wait_for(followed.expected()) and followed.expected() > held_up, followed.look())
    followed.close(slow)
    checker.check("its end", followed.wait_for(followed.expected()) and sum(followed.expected()) > len(followed.data[fast]), followed.look())
    status, err = followed.end()
    checker.check("status", status == 0, (status, err))
    followed.check_states(3)


@pytest.mark.parametrize("seed", range(3))
def test_random_cores(checker, place, seed):
    """Files of several cores that grow by any number of bytes, one at a time."""
    rng = random.Random(seed)
    files = {}
    for core in range(5):
        lines, now = [], rng.randrange(50)
        for _ in range(2500):
            now += rng.choice((0, 0, 1, 7, 90))
            kind = rng.randrange(4)
            if kind == 0:
                lines.append(b"R r%d %08x\n" % (rng.randrange(13), rng.randrange(1 << 32)))
            elif kind == 1:
                lines.append(b"%d clk MW4 %08x %08x\n" % (now, 0x1000 + 4 * rng.randrange(8), rng.randrange(1 << 32)))
            else:
                lines.append(b"%d clk IT (1) %08x e1a00000 A svc_s : NOP\n" % (now, 0x8000 + 4 * rng.randrange(64)))
        files[f"cpu{core}.t"] = b"0 clk R r0 00000000\n" + b"".join(lines)
    followed = Followed(checker, place, files)
    for name, data in files.items():
        followed.write(name, len(data) // 3)
    followed.start()
    for turn in range(12):
        name = rng.choice(followed.names)
        followed.write(name, min(len(files[name]), followed.written[name] + rng.randrange(1, 20000)))
        if turn % 3 == 2:
            checker.check(f"it keeps up in turn {turn}", followed.wait_for(followed.expected()), (followed.look(), followed.expected()))
    if has_leases(place):
        for name, data in files.items():
            followed.write(name, len(data))
        status, err = followed.end()
        checker.check("all of it", followed.look() == [len(data) for data in files.values()], followed.look())
    else:
        status, err = followed.end(signal.SIGINT)
    checker.check("status", status == 0, (status, err))
    followed.check_states(3)


def cut_in_pieces(data, count):
    """Divides by bytes: pieces begin inside lines, and one is empty."""
    ends = [len(data) * (i + 1) // count for i in range(count)]
    pieces = [data[start:end] for start, end in zip([0, *ends], ends)]
    pieces.insert(2, b"")
    return {f"p.{i}": piece for i, piece in enumerate(pieces)}


def test_pieces(checker, place):
    """A rotated trace: each piece is made when the previous one is complete."""
    data = longer({"t": CORES}, 2)["t"]
    followed = Followed(checker, place, cut_in_pieces(data, 4), pieces=True)
    first = followed.names[0]
    followed.write(first, FIRST_BYTES + 3000)
    followed.start()
    checker.check("the first", followed.wait_for(followed.expected()), followed.look())
    for name, after in zip(followed.names, [*followed.names[1:], None]):
        for part in (2, 1):
            followed.write(name, len(followed.data[name]) * (3 - part) // 3 + 11)
            checker.check(f"a part of {name}", not followed.data[name] or followed.wait_for(followed.expected()), (followed.look(), followed.expected()))
        followed.write(name, len(followed.data[name]))
        if after:  # the writer begins the next piece before or after closing this one
            followed.write(after, 0)
            followed.close(name)
        checker.check(f"all of {name}", followed.wait_for(followed.expected()), (followed.look(), followed.expected()))
        followed.check_answers()
    if has_leases(place):
        status, err = followed.end()
        checker.check("all of it", followed.look() == [len(piece) for piece in followed.data.values()], followed.look())
    else:
        status, err = followed.end(signal.SIGINT)
    checker.check("status", status == 0, (status, err))
    followed.check_states(6)
    checker.check("verified", followed.run("verify", *followed.words()).returncode == 0)


@pytest.mark.parametrize("pieces", [False, True], ids=["cores", "pieces"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=lambda number: number.name)
def test_ends(checker, place, pieces, number):
    files = cut_in_pieces(longer({"t": CORES}, 2)["t"], 3) if pieces else longer(files_of_cores(), 3)
    followed = Followed(checker, place, files, pieces)
    for name in followed.names[: 2 if pieces else None]:
        followed.write(name, len(files[name]) * 2 // 3 if name != "p.0" else len(files[name]))
    followed.start()
    checker.check("it keeps up", followed.wait_for(followed.expected()), (followed.look(), followed.expected()))
    sizes = followed.look()
    status, err = followed.end(number)
    checker.check("status", status == (0 if number == signal.SIGINT else -number), (status, err))
    checker.check("the index stays", followed.look() == sizes, followed.look())
    followed.check_answers()
    followed.check_states(1)
    for name in followed.names:
        followed.write(name, len(files[name]))
        followed.close(name) if name in followed.writers else None
    again = followed.run("index", *followed.options, *followed.words())
    checker.check("the next run", again.returncode == 0 and followed.look() == [len(data) for data in files.values()], again)


@pytest.mark.parametrize("how", ["cut", "replaced", "written anew", "a final one grows"])
def test_changes(checker, place, how):
    """The index becomes that of the files as they are then."""
    if how == "a final one grows" and not has_leases(place):
        pytest.skip("no leases here, so who writes a file is not known")
    files = longer(files_of_cores(), 3)
    followed = Followed(checker, place, dict(files))
    for name in followed.names:
        followed.write(name, len(files[name]) * 2 // 3)
    first, second = followed.names
    followed.start()
    checker.check("it keeps up", followed.wait_for(followed.expected()), followed.look())
    other = b"".join(line.replace(b" IT ", b" IS ") for line in files[second].splitlines(keepends=True))
    if how == "a final one grows":
        followed.close(second)
        checker.check("its end", followed.wait_for(followed.expected()), (followed.look(), followed.expected()))
        followed.final.clear()
    else:
        followed.data[second], followed.seen = other, {}
        size, followed.written[second] = followed.written[second], 0
        if how == "cut":
            os.ftruncate(followed.writers[second].fileno(), 0)
        elif how == "written anew":
            with open(followed.place / second, "r+b") as file:
                file.write(other[:size])
            followed.written[second] = size
        else:
            followed.writers.pop(second).close()
            os.unlink(followed.place / second)
    before = set(followed.seen)
    for name in followed.names:
        followed.write(name, len(followed.data[name]) - 3000)
    checker.check("it goes on with the other", followed.wait_for(followed.expected()), (followed.look(), followed.expected()))
    status, err = followed.end(signal.SIGINT)
    checker.check("is said", status == 0 and "was truncated or rewritten" in err, (status, err))
    for sizes in before | {sizes for sizes in followed.seen if list(sizes) != followed.look()}:
        followed.seen.pop(sizes, None)  # those of the previous files
    followed.check_states(1)


def test_permissions(checker, place):
    """If others may not read a piece, they may not read the index either."""
    followed = Followed(checker, place, cut_in_pieces(longer({"t": CORES}, 2)["t"], 3), pieces=True)
    for name in followed.names[:2]:
        followed.write(name, len(followed.data[name]))
    followed.start()
    checker.check("it keeps up", followed.wait_for(followed.expected()), followed.look())
    checker.check("as the trace", followed.index.stat().st_mode & 0o777 == (followed.place / "p.0").stat().st_mode & 0o777)
    os.close(os.open(followed.place / "p.2", os.O_CREAT | os.O_WRONLY, 0o600))
    followed.write("p.2", len(followed.data["p.2"]))
    followed.write("p.3", len(followed.data["p.3"]) - 10)
    checker.check("it goes on", followed.wait_for(followed.expected()), (followed.look(), followed.expected()))
    checker.check("as the last", followed.index.stat().st_mode & 0o777 == 0o600, oct(followed.index.stat().st_mode))
    status, err = followed.end(signal.SIGINT)
    checker.check("status", status == 0 and "other permissions" in err, (status, err))
    followed.seen = {sizes: state for sizes, state in followed.seen.items() if len(sizes) == 4}
    followed.check_states(1)


@pytest.mark.parametrize("pieces", [False, True], ids=["cores", "pieces"])
def test_browsing(checker, place, pieces):
    """The browser shows the trace up to the end of the index, including its text."""
    files = cut_in_pieces(longer({"t": CORES}, 2)["t"], 3) if pieces else longer(files_of_cores(), 3)
    followed = Followed(checker, place, files, pieces)
    for name in followed.names[: 2 if pieces else None]:
        followed.write(name, len(files[name]) * 2 // 3 if name != "p.0" else len(files[name]))
    followed.start()
    checker.check("it keeps up", followed.wait_for(followed.expected()), (followed.look(), followed.expected()))
    followed.end(signal.SIGKILL)
    sizes = followed.look()
    followed.copy(sizes)
    if pieces:  # the last piece that counts is complete, and another one exists
        followed.write("p.1", len(files["p.1"]))
        followed.write("p.2", 0)
        followed.write("p.3", 3000)
    else:
        followed.write("cpu0.t", followed.written["cpu0.t"] + 9000)
    first, *rest = followed.words()
    with Served(followed.trawl, [first, *rest], "--no-index", cwd=followed.place) as served, Served(followed.trawl, [first, *rest], cwd=followed.copies) as whole:
        asked = [("trace", {}), ("view", {"row": 500, "rows": 20, "columns": 200}), ("registers", {"at": 900})]
        about = whole.ask("trace")[1]
        asked += [("view", {"row": about["lines"] - 9, "rows": 20, "columns": 200}), ("stack", {"at": about["events"] - 1})]
        for question, words in asked:
            got, expected = served.ask(question, **words), whole.ask(question, **words)
            checker.check(f"{question} {words}", got == expected and got[0] == 200, (got, expected))
    checker.check("is told", "of a trace that has grown" in served.complaints, served.complaints)


def test_other_files(checker, place):
    """An index of beginnings is only used for the same files."""
    files = longer(files_of_cores(), 3)
    followed = Followed(checker, place, files)
    for name in followed.names:
        followed.write(name, len(files[name]) * 2 // 3)
    followed.start()
    checker.check("it keeps up", followed.wait_for(followed.expected()), followed.look())
    followed.end(signal.SIGKILL)
    first, second = followed.names
    question = ["state", "--no-index", "--at", "end"]

    def fit(*words):
        return b"of a trace that has grown" in followed.run(*question, *words).stderr

    checker.check("as it is", fit(*followed.words()))
    for words in ([second, "--with", first], [first, "--with", f"cpu7={second}"], [first, "--then", second], [first]):
        checker.check(f"{words}", not fit(*words))
    shutil.copy(followed.place / second, followed.place / "kept")
    with open(followed.place / second, "r+b") as file:
        file.truncate(1000)
    checker.check("cut", not fit(*followed.words()))
    shutil.copy(followed.place / "kept", followed.place / second)
    checker.check("as it was", fit(*followed.words()))
    built = followed.run("info", *followed.words(), "--format", "json")
    checker.check("info", [row["lane"] for row in json.loads(built.stdout)["files"]] == ["cpu0", "cpu1"], built)


def test_model(checker):
    """At the end everything is certain, in the order in which files are merged."""
    files = lines_of_cores(CORES, True)
    whole = [b"".join(lines) for _, lines in files]
    checker.check("all", certain(whole, {0, 1}) == [len(data) for data in whole])
    text, _ = merged(files)
    sizes = certain([whole[0], whole[1][:20000]])
    cut = [(core, data[:size].splitlines(keepends=True)) for (core, _), data, size in zip(files, whole, sizes)]
    checker.check("a beginning", text.startswith(merged(cut)[0]) and sum(sizes) > 20000, sizes)
