"""Where threads recorded nothing for long (`trawl xray waits`), compared with a plain model of the records that a log was written from.

    tests/run.py xray_waits
"""

import csv
import io
import json
import random
from collections import defaultdict
from pathlib import Path

import pytest
import quick
from xray_write import Writer

CORPUS = Path(__file__).resolve().parents[2] / "corpus" / "xray"
TIMEOUT_S = 60
BEGIN = 1000


@pytest.fixture
def waits(trawl, place):
    def run(*words, status=0, form="csv"):
        done = quick.run([trawl, "xray", "waits", "--format", form, *map(str, words)], cwd=place, timeout=TIMEOUT_S)
        assert done.returncode == status, (words, done)
        return list(csv.DictReader(io.StringIO(done.stdout.decode()))) if form == "csv" else done

    return run


class Log:
    """Threads of calls with pauses, on processors that change in some of these."""

    def __init__(self, seed, kind):
        draw = random.Random(seed)
        self.writer = Writer(kind, "5" if kind == "fdr" else "3")
        self.records = {}  # thread: [(time, processor, open functions before it)]
        for thread in range(5, 5 + draw.randrange(1, 5)):
            self.records[thread] = self.thread(draw, kind, thread)

    def thread(self, draw, kind, thread):
        time, cpu, stack, records = BEGIN + draw.randrange(5000), 0, [], []
        if kind == "fdr":
            self.writer.buffer(str(thread), "at", "7", str(thread), "pid", "3")
            self.writer.cpu("0", str(time))
        for _ in range(draw.randrange(2, 120)):
            pause = draw.choice([0, 3, 40, draw.randrange(20000), 1000])
            moves = kind == "fdr" and pause > 30 and draw.random() < 0.4
            time += pause
            if moves:
                cpu = (cpu + 1) % 7
                self.writer.cpu(str(cpu), str(time))
                pause = 0
            records.append((time, cpu, tuple(stack)))
            if len(stack) < 2 or draw.random() < 0.5:
                action, function = "enter", draw.randrange(1, 5)
                stack.append(function)
            elif stack[-1] != stack[-2] and draw.random() < 0.1:  # an exception: the exit of the call around it ends both
                stack.pop()
                action, function = "exit", stack.pop()
            else:
                action, function = "exit", stack.pop()
            if kind == "fdr":
                self.writer.line(action, str(function), str(pause))
            else:
                self.writer.line(action, str(function), str(time), str(thread), "3")
        return records

    def model(self, least):
        """{(thread, stack): [count, moved, total, longest, begin of the longest]}"""
        found = defaultdict(lambda: [0, 0, 0, 0, 0])
        for thread, records in self.records.items():
            for before, after in zip(records, records[1:], strict=False):
                ticks = after[0] - before[0]
                if ticks < least:
                    continue
                row = found[f"tid{thread}", ";".join(f"#{function}" for function in after[2]) or "[thread]"]
                row[0] += 1
                row[1] += before[1] != after[1]
                row[2] += ticks
                if ticks > row[3]:
                    row[3:] = ticks, before[0]
        return dict(found)


@pytest.mark.parametrize("kind", ["fdr", "basic"])
@pytest.mark.parametrize("seed", range(8))
def test_model(waits, place, seed, kind):
    log, path = Log(seed, kind), place / "log.xray"
    path.write_bytes(log.writer.result())
    for least, typed in ((1, 1), (30, 30), (1000, "1us"), (1000, "0.001ms"), (10**6, None)):
        rows = waits(*(["--min-duration", typed] if typed else []), path)
        found = {(row["lane"], row["stack"]): [int(row[key]) for key in ("waits", "moved", "total", "longest", "longest_time")] for row in rows}
        assert found == log.model(least)
        assert [int(row["total"]) for row in rows] == sorted((int(row["total"]) for row in rows), reverse=True)
        assert all(row["function"] == row["stack"].rpartition(";")[2] for row in rows)
        start = min(records[0][0] for records in log.records.values())
        assert all(abs(float(row["longest_since_seconds"]) * 1e9 - (int(row["longest_time"]) - start)) < 0.5 for row in rows)
        assert waits("--min-duration", typed or "1ms", "--top", 2, path) == rows[:2]


def test_several_logs(waits, place):
    logs = [Log(seed, "fdr") for seed in (3, 4)]
    for number, log in enumerate(logs):
        (place / f"{number}.xray").write_bytes(log.writer.result())
    rows = waits("--min-duration", 40, "0.xray", "1.xray")
    assert sorted(int(row["total"]) for row in rows) == sorted(row[2] for log in logs for row in log.model(40).values())


def test_real(waits):
    """The program sleeps in nap(): its threads record nothing then."""
    rows = waits("-m", CORPUS / "threads.elf", "--min-duration", "50us", CORPUS / "threads.fdr.xray")
    assert {row["function"] for row in rows[:5]} == {"body(long)", "work::nap(int)"}
    done = waits("-m", CORPUS / "threads.elf", "--min-duration", "50us", CORPUS / "threads.fdr.xray", form="json")
    assert [row["total"] for row in json.loads(done.stdout)] == [int(row["total"]) for row in rows]


def test_misuse(waits, place):
    (place / "log.xray").write_bytes(Log(1, "fdr").writer.result())
    for words in (["--min-duration", "soon"], ["--top", "x"], ["--format", "xml"]):
        waits(*words, "log.xray", status=2, form="table")
    writer = Writer("fdr", "5", "frequency", "0")
    writer.buffer("5", "at", "7", "1", "pid", "3")
    writer.cpu("0", "10")
    writer.line("enter", "1", "0")
    writer.line("exit", "1", "900")
    (place / "clockless.xray").write_bytes(writer.result())
    assert b"give --min-duration in ticks" in waits("clockless.xray", status=1, form="table").stderr
    assert [row["total"] for row in waits("--min-duration", 800, "clockless.xray")] == ["900"]
