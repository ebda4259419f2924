"""The answers of `trawl serve` compared with the commands and with the lines of the trace, at random places; and which requests it refuses.

    tests/run.py serve
"""

import gzip
import json
import lzma
import os
import random
import re
import select
import shutil
import socket
import struct
import subprocess
import threading
import urllib.parse
from pathlib import Path

import openapi
import pytest
import quick
from checker import Checker
from served import Served

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
TIMEOUT_S = 60
POINTS = 12
SPOILED = 40
SLOW = 300  # clients
CONTEXTS = 600000  # more than are stored
MEMORY_KB = 256 * 1024
# A trace and its image; None: none.
TRACES = [
    ("traces/sort-a64.it.tarmac", "elf/sort-a64.elf"),
    ("traces/exceptions-a32.es.tarmac", "elf/exceptions-a32.elf"),
    ("traces/recursion-t32.it.tarmac", None),
    ("traces/twocores-a64.it.tarmac", "elf/twocores-a64.elf"),
    ("traces/semihosting-a32.es.tarmac", None),
]


class Questions(Checker):
    def __init__(self, trawl, directory):
        super().__init__(trawl)
        self.directory = directory
        self.random = random.Random(20)

    def command(self, *words):
        run = quick.run([self.trawl, *map(str, words)], timeout=TIMEOUT_S)
        return json.loads(run.stdout) if run.stdout.strip() else []

    # --- Answers -----------------------------------------------------------------------------------

    def state(self, served, name, trace, image, event):
        said = self.command("state", trace, "--at", f"event:{event}", "--memory", "sp:32", "--format", "json", *image)
        status, answer = served.ask("registers", at=event)
        mine = {register["name"]: register["value"] for register in answer["registers"]}
        lane = next(lane for lane in said["lanes"] if lane["lane"] == said["position"]["lane"])
        for register, about in lane["registers"].items():
            told = mine.get(register, "?")
            expected = about["value"][2:] if about["known"] else None
            is_right = told == expected if expected else told is not None and "." in told
            self.check(f"{name}: {register} at {event}", status == 200 and is_right, f"{told}, {about}")
        if not said["memory"]:
            return
        status, answer = served.ask("memory", at=event, address="sp", size=32)
        self.check(f"{name}: memory at {event}", status == 200 and answer["address"] == said["memory"][0]["address"], (answer, said["memory"]))
        told = "".join(".." if byte is None else f"{byte:02x}" for byte in bytes_of(said["memory"][0]))
        self.check(f"{name}: bytes at {event}", answer.get("bytes") == told, f"{answer}, {told}")

    def stack(self, served, name, trace, image, event):
        """The place of a lane after an event is that of its next instruction, as shown by the command at the same event."""
        status, position = served.ask("step", how="into", at=event)
        if status != 200:
            return
        lane = self.lane(served, position)
        said = self.command("stack", trace, "--at", f"event:{event}", "--format", "json", "--unwind", "calls", *lane, *image)
        status, answer = served.ask("stack", at=event)
        self.check(f"{name}: pcs of the stack at {event}", status == 200 and [frame["pc"] for frame in answer["frames"]] == [frame["pc"] for frame in said], (answer, said))

    @staticmethod
    def lane(served, position):
        lanes = served.ask("trace")[1]["lanes"]
        return ["--lane", lanes[position["lane"]]["name"]] if len(lanes) > 1 else []

    def writes(self, served, name, trace, image, event):
        what = self.random.choice(["sp", "sp:4"])
        lane = self.lane(served, served.ask("step", how="stay", at=event)[1])
        for way, words in (("backward", ("--last", 5)), ("forward", ("--next",))):
            said = self.command("writes", trace, what, "--at", f"event:{event}", *words, *lane, "--format", "json", *image)
            count = 5 if way == "backward" else 1
            status, answer = served.ask("writes", at=event, of=what, way=way, count=count)
            told = [write["event"] for write in answer.get("writes", [])]
            self.check(f"{name}: writes of {what} {way} from {event}", status == 200 and told == [write["event"] for write in said], (answer, said))

    def value(self, served, name, trace, image, event):
        """A value and the writes around it, as shown by the commands for writes."""
        lane = self.lane(served, served.ask("step", how="stay", at=event)[1])
        for of in ("sp", "sp:4"):
            status, answer = served.ask("value", at=event, of=of)
            for key, words in (("last", ("--last", 1)), ("next", ("--next",))):
                said = self.command("writes", trace, of, "--at", f"event:{event}", *words, *lane, "--format", "json", *image)
                told = [write["event"] for write in [answer.get(key)] if write]
                self.check(f"{name}: {key} write of {of} at {event}", status == 200 and told == [write["event"] for write in said], (answer, said))
        address = answer["address"]  # of sp:4, which then stays the same
        status, answer = served.ask("value", at=event, of=f"{address}:4")
        said = [self.command(which, trace, f"{address}:4", "--at", f"event:{event}", "--next", "--format", "json", *image) for which in ("reads", "writes")]
        nearest = min((found[0]["event"] for found in said if found), default=None)
        about = answer["next_access"] or {"event": None, "is_read": False, "is_written": False}
        kinds = [bool(found) and found[0]["event"] == nearest for found in said]
        self.check(f"{name}: next access", [about["event"], about["is_read"], about["is_written"]] == [nearest, *kinds], (answer, said))
        if nearest is not None:
            back = served.ask("value", at=nearest + 1, of=f"{address}:4")[1]["previous_access"]
            self.check(f"{name}: previous access", back and back["event"] == nearest, (back, nearest))
        registers = {register["name"]: register["value"] for register in served.ask("registers", at=event)[1]["registers"]}
        status, answer = served.ask("value", at=event, of="sp")
        self.check(f"{name}: value of sp at {event}", answer["value"] == registers["sp"], (answer, registers["sp"]))

    def origin(self, served, name, trace, image, event):
        """The chain of a value is that of the command, step by step."""
        lane = self.lane(served, served.ask("step", how="stay", at=event)[1])
        for of in (self.random.choice(["sp", "sp:8", "sp+8:4"]), self.random.choice([register["name"] for register in served.ask("registers", at=event)[1]["registers"] if register["kind"] == "general"])):
            said = self.command("origin", "-q", trace, of, "--at", f"event:{event}", *lane, "--lines", "--format", "json", *image)
            status, answer = served.ask("origin", at=event, of=of)
            if status != 200:
                self.check(f"{name}: no origin of {of} at {event}", not said, (answer, said))
                continue
            told = [[step["event"], step.get("line"), step["where"], step["value"], step["source"] if step["event"] is not None else None, None if step["for"] is None else step["for"] + 1, step.get("instruction")] for step in answer["steps"]]
            wanted = [[step["event"], step["line"], step["where"], step["value"], step["source"], step["for"], step["instruction"]] for step in said]
            self.check(f"{name}: origin of {of} at {event}", told == wanted, (told, wanted))
            kinds = [step["begins"] if step["kind"] == "end" else step["kind"] for step in answer["steps"]]
            self.check(f"{name}: kinds of steps of {of} at {event}", all(step["kind"].startswith(kind) for kind, step in zip(kinds, said)), (kinds, said))
            self.check(f"{name}: a chain of one step of {of}", served.ask("origin", at=event, of=of, count=1)[1]["is_cut"] == (len(said) > 1), said)

    def history(self, served, name, about):
        """Each step of a plot is the value of the register there, and it does not change between steps."""
        number = self.random.randrange(len(about["lanes"]))
        events = about["lanes"][number]["events"]
        first = self.random.randrange(events - 1)
        last = self.random.randrange(first + 1, events)
        register = self.random.choice(["sp", "pc"] if about["lines"] % 2 else ["sp"])
        status, answer = served.ask("history", lane=number, **{"from": first, "to": last}, of=register, columns=17)
        self.check(f"{name}: history of {register}", status == 200 and answer["steps"] and answer["steps"][0][0] == 0, answer)
        for _, event, value in answer.get("steps", []):
            now = served.ask("value", at=event, of=register)[1]
            self.check(f"{name}: {register} at {event} of lane {number}", now.get("number") == value, (now, value))

    def history_by_time(self, served, name, about):
        """An expression over time is, at the end of each column, its value after the last event up to there."""
        number = self.random.randrange(len(about["lanes"]))
        lane = about["lanes"][number]
        first, last = int(lane["first_time"]), int(lane["last_time"])
        start = self.random.randrange(first, last)
        status, answer = served.ask("history", lane=number, by="time", **{"from": start, "to": last}, of="=sp+1", columns=11)
        self.check(f"{name}: history of an expression", status == 200 and answer["steps"] and answer["steps"][0][0] == 0, answer)
        for column, event, value in answer.get("steps", []):
            now = served.ask("value", at=event, of="sp")[1].get("number")
            end = start + (last - start) * (column + 1) // answer["columns"] - 1
            self.check(f"{name}: sp+1 at {event} of lane {number}", value == (now and hex(int(now, 16) + 1)), (now, value))
            self.check(f"{name}: the event {event} is up to {end}", not event or int(served.ask("step", at=event, how="stay")[1]["time"]) <= end, answer)

    def source(self, served, name, trace, image, event):
        """The line is that of the command, and the text is that of the file."""
        status, answer = served.ask("source", at=event)
        said = self.command("stack", "-q", trace, "--at", f"event:{event}", "--lines", "--format", "json", *image)
        if status != 200 or not image:
            self.check(f"{name}: no source without an image", status == 404 or answer["file"] is None, answer)
            return
        told = f"{Path(answer['file']).name}:{answer['line']}" if answer["file"] and answer["line"] else None
        self.check(f"{name}: source at {event}", told == said[0]["place"], (told, said[:1]))
        if answer["file"] and answer["line"]:
            lines = (CORPUS / "programs" / Path(answer["file"]).name).read_text().splitlines()
            self.check(f"{name}: text of the source", answer["is_found"] and answer["lines"] == lines[answer["first"] - 1:][:len(answer["lines"])] and answer["line_count"] == len(lines), answer["path"])

    def words(self, served, name, event):
        """Words of memory are its bytes; their targets are what is at these addresses."""
        size = self.random.choice([1, 2, 4, 8])
        status, answer = served.ask("memory", at=event, address="sp", size=64, word=size)
        if status != 200:
            return
        pieces = re.findall("." * (2 * size), answer["bytes"])
        for (value, _, there), piece in zip(answer["words"], pieces):
            wanted = None if "." in piece else hex(int.from_bytes(bytes.fromhex(piece), "little"))
            self.check(f"{name}: a word of {size} at {event}", value == wanted, (value, piece))
            if there is not None:
                status, target = served.ask("memory", at=event, address=value, size=size)
                self.check(f"{name}: what {value} points to", hex(int.from_bytes(bytes.fromhex(target["bytes"]), "little")) == there, (target, there))

    def rows(self, served, name, lines, about):
        """Without folds, rows are the lines of the trace."""
        count = about["lines"]
        for _ in range(POINTS):
            row = self.random.randrange(count)
            status, answer = served.ask("view", row=row, rows=7, columns=4096)
            header = len(lines) - answer["row_count"]
            told = [text_of(row).strip() for row in answer["text"]]
            wanted = lines[header + answer["row"] : header + answer["row"] + len(told)]
            # There, a branch has the name of its target.
            wanted = [mine if "{pc}" in line or re.search(r": BL? ", line) else line.strip() for line, mine in zip(wanted, told)]
            is_right = status == 200 and answer["is_exact"] and answer["row"] == min(row, answer["row_count"] - 1) and told == wanted
            self.check(f"{name}: rows from {row}", is_right, f"{told[:2]}, {wanted[:2]}")

    def folds(self, served, name, about):
        """Folded rows are absent; the numbers of rows are those found by counting them."""
        status, answer = served.ask("fold", how="all", at=about["events"] // 2)
        self.check(f"{name}: folds all", status == 200, answer)
        folds = answer.get("folds", "")
        status, answer = served.ask("view", folds=folds, rows=1)
        self.check(f"{name}: something is folded away", answer.get("row_count", 0) < about["lines"] or not answer["is_exact"], answer)
        for _ in range(4):
            status, answer = served.ask("fold", how=self.random.choice(["level", "callees", "unfold", "call"]), at=self.random.randrange(about["events"]), folds=folds)
            folds = answer.get("folds", folds)
        rows, number, is_exact = [], 0, True
        while number is not None and len(rows) < 20000:
            status, answer = served.ask("view", row=number, rows=500, folds=folds)
            is_exact &= answer["is_exact"]
            self.check(f"{name}: folded rows from {number}", status == 200 and (not answer["is_exact"] or answer["row"] == number), answer.get("row"))
            rows += [tuple(place) for place in answer["places"]]
            number = len(rows) if is_exact and len(rows) < answer["row_count"] else None
        if is_exact:
            self.check(f"{name}: as many folded rows as are said", len(rows) == answer["row_count"], (len(rows), answer["row_count"]))
            self.check(f"{name}: folded rows ascend", rows == sorted(set(rows)), rows[:5])

    def searches(self, served, name, lines, about):
        """A line is found as it is written and as it is shown, where a branch has the name of its target."""
        rows, count = [], 1
        while len(rows) < count:
            answer = served.ask("view", row=len(rows), rows=1000, columns=4096)[1]
            rows += [text_of(row).strip() for row in answer["text"]]
            count = answer["row_count"]
        header = len(lines) - len(rows)
        shown = lines[:header] + rows
        named = sum(mine not in (line, line.strip()) for mine, line in zip(shown, lines))
        for pattern in ("R X?[0-9]+ 0+1?$", "0000", "[Bb]ranch|B\\.|BL", "[a-z]_[a-z]+(\\+|$)", "BLX? +[a-z]", "main", "nothing of the kind"):
            expected = [mine.strip() for line, mine in zip(lines, shown) if re.search(pattern, line) or re.search(pattern, mine)]
            hits, place = [], {}
            while True:
                status, answer = served.ask("search", what=pattern, count=100, **place)
                if status == 200 and answer["outcome"] == "under way":
                    continue
                if status != 200 or not answer["hits"] or (place and answer["has_wrapped"]):
                    break
                hits += answer["hits"]
                place = {"place": hits[-1]["place"]}
            told = [hit["text"].strip() for hit in hits]
            self.check(f"{name}: search for {pattern}", told == expected, (len(told), len(expected), told[:2], expected[:2]))
            self.check(f"{name}: hits of {pattern}", answer.get("is_done") is False or answer.get("hits_found") == len(expected), answer)
            backward = served.ask("search", what=pattern, way="backward", count=1000)[1]["hits"] if answer.get("is_done") else []
            self.check(f"{name}: backward for {pattern}", not backward or [hit["place"] for hit in backward] == [hit["place"] for hit in hits[::-1][: len(backward)]], (len(backward), len(hits)))
        return named

    def chart(self, served, name, about):
        """Every bar spans its columns, and is inside the one below it; each column shows the calls of `stack`."""
        for by in ("events", "time"):
            status, answer = served.ask("chart", columns=50, by=by)
            bars = answer.get("bars", [])
            self.check(f"{name}: chart by {by}", status == 200 and bars, answer)
            self.check(f"{name}: bars of the chart by {by}", all(first < end <= 50 and entry <= exit_ for _, first, end, _, entry, exit_, *_ in bars), bars[:3])
            for depth, first, end, *_ in bars:
                around = depth == 0 or any(other[0] == depth - 1 and other[1] <= first and end <= other[2] for other in bars)
                self.check(f"{name}: a bar at {depth} by {by} has one below it", around, (depth, first, end))

    # --- Selections --------------------------------------------------------------------------------

    def collapsed(self, *words):
        run = subprocess.run([self.trawl, "flamegraph", *map(str, words)], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        return dict(line.rsplit(" ", 1) for line in run.stdout.splitlines())

    def selection(self, served, name, trace, images, about):
        """Profile, flame graph, callers and callees of a selection are those of the commands for the same range."""
        lane = self.random.randrange(len(about["lanes"]))
        one = ["--lane", about["lanes"][lane]["name"]] if len(about["lanes"]) > 1 else []
        by = self.random.choice(["events", "time"])
        low, high = (0, about["lanes"][lane]["events"]) if by == "events" else (int(about["lanes"][lane]["first_time"]), int(about["lanes"][lane]["last_time"]) + 1)
        first, last = sorted(self.random.sample(range(low, high), 2))
        wish = {"lane": lane, "by": by, "from": first, "to": last + 1}
        words = [f"--{by}", f"{first}..{last}", *one, *images, trace]
        label = f"{name}: {by} {first} to {last} of lane {lane}"
        said = self.command("profile", *words, "--format", "json")
        status, answer = served.ask("profile", **wish)
        told = sorted((row["pc"], row["name"], row["calls"], int(row["self"]), int(row["total"])) for row in answer.get("functions", []))
        wanted = sorted((row["address"], row["function"], row["calls"], row["self"], row["total"]) for row in said)
        self.check(f"{label}: profile", told == wanted, (status, told[:3], wanted[:3]))
        status, answer = served.ask("flame", parts=0, **wish)
        stacks = answer.get("stacks", [])
        told, names = {}, []
        for depth, function, _, _, _, own in stacks:
            names[depth:] = [function]
            told[";".join(names)] = str(own)
        self.check(f"{label}: stacks", told == self.collapsed(*words) and not answer["is_cut"], (status, list(told.items())[:3]))
        self.check(f"{label}: ticks of the whole", int(answer["ticks"]) == sum(stack[4] for stack in stacks if stack[0] == 0), answer["ticks"])
        self.around(served, label, wish, stacks)
        self.below(served, label, wish, stacks)

    def counts(self, served, name, trace, images, about):
        """Lines of the file at a point are those of the profile by lines; instructions have the same counts as in the trace."""
        if not images:
            return
        lane = self.random.randrange(len(about["lanes"]))
        one = ["--lane", about["lanes"][lane]["name"]] if len(about["lanes"]) > 1 else []
        first, last = sorted(self.random.sample(range(about["lanes"][lane]["events"]), 2))
        wish = {"lane": lane, "from": first, "to": last + 1}
        said = self.command("profile", "--by", "line", "--lane-events", f"{first}..{last}", *one, *images, trace, "--format", "json")
        status, answer = served.ask("counts", at=self.random.randrange(about["events"] - 1), **wish)
        if status == 200 and "file" in answer:
            wanted = sorted([row["line"], row["visits"], row["self"]] for row in said if row["file"] == answer["file"])
            self.check(f"{name}: lines of {answer['file']} in {first} to {last}", sorted(answer["lines"]) == wanted, (answer["lines"][:3], wanted[:3]))
            executed = sum(row["executed"] for row in said)
            self.check(f"{name}: instructions of {first} to {last}", sum(row[1] for row in answer["instructions"]) <= executed, answer["instructions"][:3])

    def around(self, served, label, wish, stacks):
        """Callers and callees, added up from the stacks in another way."""
        of = self.random.choice(stacks)[2]
        callers, callees, path = {}, {}, []
        for depth, _, pc, calls, ticks, _ in stacks:
            path[depth:] = [pc]
            edges = list(zip([None, *path], path))
            for edge, table, key in ((edges[-1], callers, edges[-1][0]), (edges[-1], callees, pc)):
                if (table is callers and pc != of) or (table is callees and edge[0] != of):
                    continue
                count, total = table.get(key, (0, 0))
                table[key] = (count + calls, total + (ticks if edge not in edges[:-1] else 0))
        status, answer = served.ask("edges", of=of, **wish)
        for what, wanted in (("callers", callers), ("callees", callees)):
            told = {row["pc"]: (row["calls"], int(row["ticks"])) for row in answer.get(what, [])}
            self.check(f"{label}: {what} of {of}", told == wanted, (status, told, wanted))

    def below(self, served, label, wish, stacks):
        """Above a frame, the flame graph has that part of the whole graph."""
        number = self.random.randrange(len(stacks))
        path = []
        for depth, _, pc, *_ in stacks[: number + 1]:
            path[depth:] = [pc]
        depth = stacks[number][0]
        end = next((i for i in range(number + 1, len(stacks)) if stacks[i][0] <= depth), len(stacks))
        status, answer = served.ask("flame", parts=0, under=",".join(path), **wish)
        told = [stack for stack in answer.get("stacks", []) if stack[0] >= depth]
        self.check(f"{label}: below {path}", told == stacks[number:end], (status, told[:2], stacks[number:end][:2]))
        status, answer = served.ask("flame", parts=10, **wish)
        whole = int(answer["ticks"])
        self.check(f"{label}: what is wide", answer["stacks"] == [stack for stack in stacks if stack[4] >= whole // 10], answer["stacks"][:3])

    def density(self, served, name, lines, about):
        """Columns are all events; an event in its own column shows the exceptions and host calls in the text."""
        for number, lane in enumerate(about["lanes"]):
            low = self.random.randrange(lane["events"] - 1)
            high = self.random.randrange(low + 1, lane["events"])
            status, answer = served.ask("density", lane=number, columns=self.random.randrange(1, 40), **{"from": low, "to": high})
            self.check(f"{name}: events of a stretch", status == 200 and sum(answer["events"]) == high - low, answer)
            status, answer = served.ask("density", lane=number, columns=23, by="time")
            times = int(lane["last_time"]) + 1 - int(lane["first_time"])
            self.check(f"{name}: events by time", status == 200 and sum(answer["events"]) == lane["events"] and sum(answer["ticks"]) == times, answer)
        if len(about["lanes"]) == 1:
            status, answer = served.ask("density", columns=about["events"])
            exceptions = sum(bool(re.search(r" (clk|cpu\d*) E | EXC \[", line)) for line in lines)
            host_calls = sum(bool(re.search(r"HLT +#?0xf000|SVC +#?0x123456|SVC +#?0xab\b|BKPT +#?0xab", line, re.IGNORECASE)) and " IS " not in line for line in lines)
            self.check(f"{name}: exceptions", len(answer["exceptions"]) == exceptions, (answer["exceptions"], exceptions))
            self.check(f"{name}: host calls", len(answer["host_calls"]) == host_calls, (answer["host_calls"], host_calls))
            for wish in ({"what": " R (X|r)1 "}, {"what": "B[.]?(EQ|NE)|BNE"}, {"what": "nowhere at all"}, {"what": "sp < 0x8000 || r1 == 0", "kind": "condition"}):
                self.hits_in_chart(served, name, about["events"], wish)

    def hits_in_chart(self, served, name, events, wish):
        """With each event in its own column: the columns where the search finds something."""
        while not (found := served.ask("search", count=1000, **wish)[1]).get("is_done", True):
            pass
        status, answer = served.ask("density", columns=events, **wish)
        hits = [hit["event"] for hit in found.get("hits", [])]
        told = answer.get("hits", [])
        self.check(f"{name}: hits of {wish} in the chart", (status == 200) == ("error" not in found) and sorted(set(hits)) == (told[: len(set(hits))] if len(hits) == 1000 else told), (status, told[:9], sorted(set(hits))[:9], answer.get("error")))

    def steps(self, served, name, about):
        event = self.random.randrange(about["events"] - 1)
        status, answer = served.ask("step", how="down", at=event)
        back, there = served.ask("step", how="up", at=answer.get("at", 0))
        self.check(f"{name}: down and up from {event}", status == back == 200 and there["at"] == event, (answer, there))
        status, answer = served.ask("find", what="end")
        self.check(f"{name}: the end", status == 200 and answer["at"] == about["events"] - 1, answer)
        status, answer = served.ask("find", what=f"event:{event}")
        self.check(f"{name}: an event", status == 200 and answer["at"] == event, answer)

    def answers(self, trace, image):
        copy = self.directory / Path(trace).name
        shutil.copy(CORPUS / trace, copy)
        images = ["--image", CORPUS / image] if image else []
        lines = copy.read_text(errors="replace").split("\n")[:-1]
        with Served(self.trawl, [copy], *images, "--source", CORPUS / "programs") as served:
            status, about = served.ask("trace")
            self.check(f"{copy.name}: about", status == 200 and about["lines"] == len(lines) and about["kind"] == "tarmac", about)
            for _ in range(POINTS):
                event = self.random.randrange(about["events"])
                self.state(served, copy.name, copy, images, event)
                self.stack(served, copy.name, copy, images, event)
                self.writes(served, copy.name, copy, images, event)
                self.value(served, copy.name, copy, images, event)
                self.origin(served, copy.name, copy, images, event)
                self.words(served, copy.name, event)
                self.history(served, copy.name, about)
                self.history_by_time(served, copy.name, about)
                self.source(served, copy.name, copy, images, event)
                self.steps(served, copy.name, about)
                self.selection(served, copy.name, copy, images, about)
            for _ in range(4):
                self.counts(served, copy.name, copy, images, about)
            self.rows(served, copy.name, lines, about)
            self.density(served, copy.name, lines, about)
            self.folds(served, copy.name, about)
            named = self.searches(served, copy.name, lines, about)
            self.check(f"{copy.name}: names are shown where there is an image", bool(named) == bool(images), named)
            self.chart(served, copy.name, about)
        self.check(f"{copy.name}: ends when it is told to", served.status == 0, (served.status, served.complaints))

    def variables(self):
        """At the entry of a function its arguments are those of `trawl calls --values`; where the prologue has not stored them yet, none are told."""
        trace, image = (CORPUS / "typed" / f"arguments-a64{end}" for end in (".it.tarmac", ".elf"))
        calls = [call for call in self.command("calls", "-q", trace, "--image", image, "--values", "--format", "json", "--memory-index") if call["entry_line"] and "=" in (call["arguments"] or "")]
        with Served(self.trawl, [trace], "--image", image, "--memory-index") as served:
            for call in calls:
                entry = served.ask("find", what=f"line:{call['entry_line']}")[1]["at"]
                told = [", ".join(f"{value['name']}={value['value']}" for value in served.ask("source", at=at)[1]["arguments"]) for at in (entry - 1, entry)]
                self.check(f"arguments of {call['function']}", told[0] == call["arguments"], (told, call["arguments"]))
                self.check(f"arguments of {call['function']}, not stored yet", set(re.findall(r"=([^,]*)", told[1])) == {"<unavailable>"}, told)
        self.check("has calls", len(calls) > 15, calls)

    def tasks(self):
        """The task of each event is the one in whose function the stack begins."""
        trace = self.directory / "rtos.tarmac"
        trace.write_bytes(lzma.decompress((CORPUS / "stacks" / "rtos-a64.it.tarmac.xz").read_bytes()))
        with Served(self.trawl, [trace], "--image", CORPUS / "stacks" / "rtos-a64.elf", "--memory-index") as served:
            events = served.ask("trace")[1]["events"]
            status, answer = served.ask("tasks", columns=events)
            names = {task["task"]: task["name"].split()[0] for task in answer["tasks"]}
            runs = [task for first, end, task in answer["runs"] for _ in range(first, end)]
            self.check("each event is of a task", status == 200 and len(runs) == events and len(names) > 5, answer)
            compared = 0
            for event in self.random.sample(range(10, events), 40):
                outermost = served.ask("stack", at=event - 1)[1]["frames"][-1]["name"].split("+")[0]
                if outermost in names.values():  # not while a task is switched
                    compared += 1
                    self.check(f"the task of event {event}", names[runs[event]] == outermost, (names[runs[event]], outermost))
            self.check("most events are compared", compared > 30, compared)
            for wrong in ({"lane": 7}, {"columns": 0}, {"from": 5, "to": 5}):
                self.check(f"tasks with {wrong} are refused", served.ask("tasks", **wrong)[0] == 400)
        with Served(self.trawl, [CORPUS / "xray" / "threads.fdr.xray"], "--memory-index") as served:
            self.check("no tasks in a log", served.ask("tasks")[0] == 404)

    def states(self):
        """The states of tasks are those that exports have over time; the task that runs is in the stack, and both need no option but --os."""
        trace, image = self.directory / "jobs.tarmac", CORPUS / "os" / "jobs.elf"
        trace.write_bytes(lzma.decompress((CORPUS / "os" / "jobs.tarmac.xz").read_bytes()))
        done = quick.run([self.trawl, "export", "--format=chrome", "--by=task", "--memory-index", "--image", image, trace])
        events = json.loads(done.stdout)["traceEvents"]
        tracks = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["ph"] == "M" and event["name"] == "thread_name"}
        start = 1  # from which chrome counts: the first instruction
        spans = {}  # by task: [from, until, word]
        for event in events:
            name = tracks[event["pid"], event["tid"]]
            if name.endswith(": state") and event["ph"] == "B":
                spans.setdefault(name[: -len(": state")], []).append([round(event["ts"]), None, event["name"]])
            elif name.endswith(": state") and event["ph"] == "E":
                spans[name[: -len(": state")]][-1][1] = round(event["ts"])
        for words in ([], ["--os", "freertos"]):
            with Served(self.trawl, [trace], "--image", image, "--memory-index", *words) as served:
                for more in ({}, {"from": 7000, "to": 7400}, {"from": 20000, "to": 20050, "columns": 50}):
                    status, answer = served.ask("states", by="time", **{"columns": 300, **more})
                    self.check("states of all tasks", status == 200 and {task["name"] for task in answer["tasks"]} == set(spans) and len(answer["words"]) > (0 if more else 3), answer)
                    first, width, columns = int(answer["from"]), int(answer["to"]) - int(answer["from"]), answer["columns"]
                    for task in answer["tasks"]:
                        states = [None] * columns
                        for begin, end, word in task["states"]:
                            states[begin:end] = [answer["words"][word]] * (end - begin)
                        for column, state in enumerate(states):
                            time = first + width * (2 * column + 1) // (2 * columns) - start
                            wanted = {word for begin, end, word in spans[task["name"]] if begin <= time < end} or {None}
                            self.check("the state in the middle of a column", state in wanted, (task["name"], time, state, wanted))
                tasks = [served.ask("stack", at=f"line:{line}")[1]["task"] for line in range(100, 74000, 3000)]
                self.check("the task that runs", len(set(tasks)) > 5 and set(tasks) - {"Reset_Handler"} <= set(spans), tasks)
        with Served(self.trawl, [trace], "--image", image, "--memory-index", "--os", "none") as served:
            self.check("no system is known", served.ask("states")[0] == 404)
            names = [task["name"] for task in served.ask("tasks")[1]["tasks"]]
            self.check("without it, tasks are called by their functions", "IDLE" in spans and "IDLE" not in names and "radio" in names, names)

    def difference(self):
        """Regions are those of `trawl diff`; what is only written differently is found, too."""
        one, other = self.directory / "one.tarmac", self.directory / "other.tarmac"
        lines = (CORPUS / "traces" / "sort-a64.it.tarmac").read_text().splitlines(keepends=True)
        one.write_text("".join(lines))
        changed = [line.replace("976 clk R X0 0000000000000003", "976 clk R X0 0000000000000004") for line in lines]
        other.write_text("".join(changed[:600] + changed[700:]))
        said = self.command("diff", "-q", one, other, "--format", "json", "--memory-index")
        with Served(self.trawl, [one, other], "--memory-index") as served:
            status, answer = served.ask("difference", other=1)
            self.check("regions", status == 200 and [[region[0], region[2], region[3], region[5]] for region in answer["regions"]] == [[region[key] for key in ("event_a", "only_a", "event_b", "only_b")] for region in said["regions"]], (answer, said))
            status, answer = served.ask("difference", other=1, effects=1)
            self.check("what is written", status == 200 and answer["changed"] >= 1, answer)
            self.check("one region at most", len(served.ask("difference", other=1, effects=1, count=1)[1]["regions"]) == 1)
            for wrong in ({}, {"other": 0}, {"other": 2}, {"other": 1, "lane": 1}):
                self.check(f"a difference with {wrong} is refused", served.ask("difference", **wrong)[0] == 400, wrong)

    # --- Strangers that stay -----------------------------------------------------------------------

    def slow(self):
        """Clients without the secret that never complete their headers keep nobody out, however many they are, and are not kept."""
        begun = (b"", b"GET / HTTP/1.1\r\n", b"GET /api/v1/trace HTTP/1.1\r\nHost: x\r\nX: ", b"POST /api/v1/note?at=1&text=x HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\nx")
        with Served(self.trawl, [CORPUS / TRACES[0][0]], "--memory-index") as served:
            slow = []
            for number in range(SLOW):
                slow.append(socket.create_connection((served.host, served.port), TIMEOUT_S))
                slow[-1].sendall(begun[number % len(begun)])
                if number % 50 == 49:
                    status, answer = served.ask("trace")
                    self.check(f"who knows the secret is answered beside {number + 1} others", status == 200 and answer["events"], answer)
            for connection in slow:
                try:
                    while connection.recv(1 << 16):
                        pass
                except ConnectionError:
                    pass
                except TimeoutError:
                    self.check("a slow client is not kept", False, connection)
                connection.close()
            self.check("and after them", served.ask("trace")[0] == 200)

    def stopped(self):
        """A search that takes long is stopped, and others are answered meanwhile."""
        trace = self.directory / "long.tarmac"
        line = b"1 clk E " + b"a" * 65000 + b"\n"
        trace.write_bytes((CORPUS / TRACES[0][0]).read_bytes() + line * 800)
        slow = {"kind": "text", "what": r"(a|aa)*a{200}\b(X|Y)", "at": "start", "way": "forward", "count": 1}
        with Served(self.trawl, [trace]) as served:
            self.check("a slow search begins", served.ask("search", **slow)[0] == 200)
            status, answer = served.ask("search", kind="text", what="nothing of the kind")
            self.check("another one is answered beside it", status == 200, answer)
            self.check("it is stopped", served.ask("search", stop=1, **slow)[0] == 200)
            self.check("and begins again", served.ask("search", **slow)[0] == 200)
        self.check("the server ends in the middle of it", served.status == 0, (served.status, served.complaints))

    # --- Notes -------------------------------------------------------------------------------------

    def notes(self):
        """Notes are stored next to the trace on request, and nowhere else; requests without the secret cannot set any."""
        trace = self.directory / "noted.tarmac"
        shutil.copy(CORPUS / "traces" / "sort-a64.it.tarmac", trace)
        file = Path(f"{trace}.notes.json")
        change = lambda served, **parameters: served.request("/api/v1/note?" + urllib.parse.urlencode(parameters), method="POST", body=b"")
        with Served(self.trawl, [trace]) as served:
            status, _, body = change(served, at=7, text="for now")
            self.check("a note is taken", status == 200 and json.loads(body) == {"are_kept": False, "notes": [{"event": 7, "text": "for now"}]}, body)
        self.check("nothing is written unasked", not file.exists())
        texts = {"start": "the <script>start</script>", 900: 'wrong: "x0" \\ ä\U0001f600', 5: "five"}
        with Served(self.trawl, [trace], "--notes") as served:
            for at, text in texts.items():
                self.check(f"a note at {at}", change(served, at=at, text=text)[0] == 200)
            change(served, at=5, text="")
            for what, expected, options in (("no secret", 401, {"known": False}), ("another page", 403, {"headers": {"Origin": "http://evil.example"}}), ("another site", 403, {"headers": {"Sec-Fetch-Site": "cross-site"}})):
                status, _, _ = served.request("/api/v1/note?at=1&text=x", method="POST", body=b"", **options)
                self.check(f"a note of {what} gets {expected}", status == expected, status)
            for what, allowed, path, how in (
                ("a note takes POST", "POST", "/api/v1/note?at=1&text=x", {}),
                ("a page tells of itself by POST", "POST", "/api/v1/page/opened?page=8", {}),
                ("a question takes GET", "GET, HEAD", "/api/v1/trace", {"method": "POST", "body": b""}),
            ):
                status, headers, body = served.request(path, **how)
                self.check(what, status == 405 and headers.get("Allow") == allowed and json.loads(body)["error"], (status, headers, body))
            for what, parameters in (("no event", {"at": 999999999, "text": "x"}), ("a long text", {"at": 1, "text": "x" * 1001}), ("no text", {"at": 1})):
                self.check(f"a note with {what} is refused", change(served, **parameters)[0] == 400)
            status, _, body = change(served, at=8, text="bell\x07 escape\x1b[2J")
            self.check("control characters are made inert", status == 200 and not re.search(r"\\u00|[\x00-\x08\x1b]", body.decode()), body)
            change(served, at=8, text="")
        kept = json.loads(file.read_text())
        self.check("notes are kept", kept["notes"] == [{"event": at, "text": texts[at]} for at in ("start", 900)], kept)
        with Served(self.trawl, [trace], "--notes") as served:
            status, answer = served.ask("notes")
            self.check("and are there again", status == 200 and answer == {"are_kept": True, "notes": kept["notes"]}, answer)
        for what, text in (("no JSON", "x"), ("another format", '{"format": "other", "notes": []}'), ("an event that is not there", '{"notes": [{"event": 99999999, "text": "x"}]}'), ("half a file", file.read_text()[:40])):
            file.write_text(text)
            run = subprocess.run([self.trawl, "serve", "--notes", "--no-open", trace], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
            self.check(f"a file of notes with {what} is refused and stays", run.returncode == 1 and "noted.tarmac.notes.json: byte" in run.stderr and file.read_text() == text, run.stderr)

    def other_kinds(self):
        """Logs and trace files, and several traces of one server."""
        log, frames = CORPUS / "xray" / "threads.fdr.xray", sorted((CORPUS / "tfile").glob("*.tf"))[0]
        logs = sorted((CORPUS / "xray").glob("*.xray"))
        traces = [self.directory / path.name for path in ([log] if log.exists() else logs[:1]) + [frames]]
        for path, copy in zip(([log] if log.exists() else logs[:1]) + [frames], traces):
            shutil.copy(path, copy)
        with Served(self.trawl, traces) as served:
            for number, kind in enumerate(("xray", "tfile")):
                status, about = served.ask("trace", trace=number)
                self.check(f"{kind} is served", status == 200 and about["kind"] == kind, about)
                for question in ("view", "stack", "registers", "chart", "functions", "step", "profile", "flame"):
                    status, answer = served.ask(question, trace=number, **openapi.taken_by(question, at=0))
                    self.check(f"{kind}: {question} is answered or refused", status in (200, 404) and ("error" in answer) == (status != 200), answer)
                if kind == "xray":
                    called = [(lane, row["pc"]) for lane in range(len(about["lanes"])) for row in served.ask("profile", trace=number, lane=lane)[1]["functions"]]
                    called = [(lane, pc) for lane, pc in called if int(pc, 16) < 1 << 32]  # without those that stand for none
                    found = [served.ask("find", trace=number, what=pc, way="first", of=lane, at="start") for lane, pc in called]
                    self.check("xray: the first call is of the thread", len(called) > 2 and all(status == 200 and answer["lane"] == lane for (lane, _), (status, answer) in zip(called, found)), (called, found))
                    said = self.command("profile", traces[0], "--lane", about["lanes"][0]["name"], "--format", "json")
                    status, answer = served.ask("profile", trace=number)
                    told = sorted((row["calls"], int(row["self"]), int(row["total"])) for row in answer["functions"])
                    self.check("xray: the profile", told == sorted((row["calls"], row["self"], row["total"]) for row in said), (told, said))
                status, answer = served.ask("view", trace=number, at=0, rows=5)
                self.check(f"{kind}: has rows", status == 200 and any(text_of(row).strip() for row in answer["text"]), answer)

    def arguments(self):
        """The arguments of each call of a log, at each of its events, are those of `trawl calls`, which reads the log from its beginning."""
        for name in ("arguments.fdr.xray", "arguments.basic.xray", "threads.fdr.xray"):
            log = Path(shutil.copy(CORPUS / "xray" / name, self.directory))
            calls = self.command("calls", log, "--format", "json")
            by_entry = {(call["lane"], call["entry_time"]): call.get("arguments") or "" for call in calls}
            with Served(self.trawl, [log]) as served:
                about = served.ask("trace")[1]
                told, number = {}, 0
                for event in range(min(about["events"], 300)):
                    for frame in served.ask("stack", at=event)[1]["frames"]:
                        entry = served.ask("step", at=frame["called_at"], how="stay")[1]
                        told[entry["lane_name"], int(entry["time"])] = " ".join(frame["arguments"])
                        number += frame["argument_count"]
            known = {place: text for place, text in told.items() if place in by_entry}
            self.check(f"{name}: arguments", len(known) > 3 and all(text == by_entry[place] for place, text in known.items()), {place: (text, by_entry[place]) for place, text in known.items() if text != by_entry[place]})
            self.check(f"{name}: has some, or none", bool(number) == name.startswith("arguments"), number)

    def series(self):
        """What changes from frame to frame: chosen things first, as often as `trawl tfile series` tells."""
        for name, least in (("full.tf", 4), ("stacks.tf", 3), ("many.tf", 0), ("values.tf", 0)):
            trace = Path(shutil.copy(CORPUS / "tfile" / name, self.directory))
            with Served(self.trawl, [trace]) as served:
                series = served.ask("series")[1]["series"]
                self.check(f"{name}: there are some, and not too many", least <= len(series) <= 4, series)
                for one in series:
                    address = re.fullmatch(r"(0x[0-9a-f]+):(\d+)", one["of"])
                    words = f"{address[1]}:u{8 * int(address[2])}" if address else one["of"]
                    rows = [next(iter(value for key, value in row.items() if key not in ("frame", "tracepoint", "pc", "function"))) for row in self.command("tfile", "series", trace, words, "--format", "json")]
                    known = [value for value in rows if value is not None]
                    changes = sum(a != b for a, b in zip(known, known[1:]))
                    isolated = name in ("full.tf", "stacks.tf")  # all frames, whose memory is not also part of larger blocks
                    self.check(f"{name}: {one['of']} changes as often", (one["changes"] == changes and one["values"] == len(known)) if isolated else one["changes"] <= changes, (one, changes, rows[:5]))
                    self.check(f"{name}: {one['of']} changes", one["changes"] > 0, one)
                    self.check(f"{name}: {one['of']} can be a track", served.ask("history", of=one["of"])[0] == 200, one)
                variables = {register["name"] for register in served.ask("registers", at=0)[1]["registers"] if register["kind"] == "variable"}
                chosen = [":" in one["of"] or one["of"] in variables for one in series]
                self.check(f"{name}: what was collected by itself comes first", chosen == sorted(chosen, reverse=True), series)
        trace = shutil.copy(CORPUS / TRACES[0][0], self.directory)
        with Served(self.trawl, [trace]) as served:
            self.check("only frames have series", served.ask("series")[0] == 404)

    def wide(self):
        """A value that no number holds is followed with all its digits, as `trawl state` has them; what is unknown of it is told."""
        trace = Path(shutil.copy(CORPUS / "traces" / "neon-a64.it.tarmac", self.directory))
        with Served(self.trawl, [trace], "--memory-index") as served:
            events, seen = served.ask("trace")[1]["events"], set()
            for of in ("v0", "v1", "v17"):
                status, answer = served.ask("history", of=of, columns=40)
                self.check(f"{of} is followed", status == 200 and answer["steps"], answer)
                for i, (column, event, value) in enumerate(answer.get("steps", [])):
                    said = self.command("state", trace, "--at", f"event:{event}", "--registers", of, "--format", "json", "--memory-index")["lanes"][0]["registers"].get(of)
                    wanted = said["value"] if said and said["known"] else None
                    self.check(f"{of} at {event}", value == wanted if wanted or value is None else set(value[2:]) & {"."}, (value, said))
                    self.check("a step is a change", not i or value != answer["steps"][i - 1][2], answer["steps"])
                    self.check("in its column", event == (column + 1) * events // 40 - 1, (column, event))
                    seen.add(value and len(value))
            self.check("there are some, with all digits", 34 in seen and seen <= {34, None}, seen)
            memory = served.ask("history", of="sp:16", at=300, columns=30)[1]["steps"]
            self.check("memory has its lowest address last", any(value for *_, value in memory), memory)
            for _, event, value in memory:
                bytes_ = served.ask("value", of=hex(int(served.ask("value", of="sp", at=300)[1]["number"], 16)) + ":16", at=event)[1]["value"]
                wanted = "0x" + "".join(reversed(re.findall("..", bytes_)))
                self.check(f"memory at {event}", value == (wanted if wanted.strip("0x.") or "0" in bytes_ else None), (value, bytes_))
            self.check("too much is refused", served.ask("history", of="sp:257", at=300)[0] == 400)

    def order(self):
        """Places among the events of all lanes: each lane is as after its last event up to there."""
        trace = shutil.copy(CORPUS / "traces" / "twocores-a64.it.tarmac", self.directory)
        with Served(self.trawl, [trace], "--memory-index") as served:
            about = served.ask("trace")[1]
            total, lanes = about["events"], about["lanes"]
            first = next(event for event in range(0, total, 7) if served.ask("step", at=event, how="stay")[1]["lane"] == 1) - 20
            width = 120
            where = [served.ask("step", at=event, how="stay")[1] for event in range(first + width)]
            for number in range(len(lanes)):
                before = [0]  # events of the lane before each place
                for position in where:
                    before.append(before[-1] + (position["lane"] == number))
                wish = {"lane": number, "from": first, "to": first + width}
                mine = {"lane": number, "from": before[first], "to": before[first + width]}
                self.check("the lane goes on there", mine["from"] < mine["to"] < mine["from"] + width, mine)
                density = served.ask("density", by="order", columns=width, **wish)[1]
                self.check(f"events of lane {number}", density["events"] == [int(where[place]["lane"] == number) for place in range(first, first + width)], density["events"])
                for question in ("profile", "flame"):
                    self.check(f"{question} of lane {number}", served.ask(question, by="order", **wish) == served.ask(question, **mine))
                bars = served.ask("chart", by="order", columns=width, levels=9, **wish)[1]["bars"]
                # A column for each event of the lane; the place where each column of `order` is among them.
                own = served.ask("chart", lane=number, columns=before[first + width], levels=9, **{"from": 0, "to": before[first + width]})[1]["bars"]
                for column in range(width):
                    count = before[first + column + 1]
                    around = sorted((bar[0], *bar[3:]) for bar in own if bar[1] <= count - 1 < bar[2])
                    told = sorted((bar[0], *bar[3:]) for bar in bars if bar[1] <= column < bar[2])
                    self.check(f"calls of lane {number} at {first + column}", told == around, (told, around))
                for column, event, value in served.ask("history", by="order", columns=width, of="sp", **wish)[1]["steps"]:
                    last = max((place for place in range(first + column + 1) if where[place]["lane"] == number), default=0)
                    now = served.ask("value", of="sp", at=last)[1].get("number")
                    self.check(f"sp of lane {number} at {column}", event == last and (value == now or not before[first + column + 1]), (event, last, value, now))
            other = next(number for number, lane in enumerate(lanes) if where[0]["lane"] != number)
            self.check("nothing of a lane is told so", served.ask("profile", by="order", lane=other, **{"from": 0, "to": 1})[0] == 404)
            self.check("by default all", served.ask("profile", by="order", lane=1) == served.ask("profile", lane=1))
            last = [int(lane["last_time"]) for lane in lanes]
            self.check("lanes end at other times", last[0] > last[1] + 100, last)
            for lane in (0, 1):  # times may be before and after a lane
                self.check(f"all times of lane {lane}", served.ask("profile", by="time", lane=lane, **{"from": 0, "to": last[0] + 9}) == served.ask("profile", by="time", lane=lane))
            self.check("but not all", served.ask("profile", by="time", lane=1, **{"from": last[1] + 10, "to": last[0]})[0] == 404)

    def in_lanes(self):
        """Where two runs differ, as events of the lanes."""
        one, other = self.directory / "one.tarmac", self.directory / "other.tarmac"
        lines = (CORPUS / "traces" / "twocores-a64.it.tarmac").read_text().splitlines(keepends=True)
        one.write_text("".join(lines))
        other.write_text("".join(lines[:900] + lines[930:1200] + lines[1230:]))
        with Served(self.trawl, [one, other], "--memory-index") as served:
            for lane in (0, 1):
                answer = served.ask("difference", other=1, lane=lane, other_lane=lane)[1]
                self.check("there are some", answer["regions"], answer)
                for region, places in zip(answer["regions"], answer["in_lanes"], strict=True):
                    for event, place, trace in zip((region[0], region[1], region[3], region[4]), places, (0, 0, 1, 1)):
                        there = served.ask("step", at=event, how="stay", trace=trace)[1] if event is not None else None
                        self.check(f"{event} of {trace}", place == (there and there["in_lane"]) and (not there or there["lane"] == lane), (region, places, there))

    def letters(self):
        """Functions by some of their letters: those that have them in this order, each with where they are, and the best first."""
        trace = shutil.copy(CORPUS / TRACES[0][0], self.directory)
        with Served(self.trawl, [trace], "--image", CORPUS / TRACES[0][1], "--source", CORPUS / "programs") as served:
            self.lines_of_source(served)
            names = [function["name"] for function in served.ask("functions", count=1000)[1]["functions"]]
            for letters in ("s", "SORT", "qs", "hpsrt", "main", "iasc", "zzz", "q_s", "a" * 100):
                found = served.ask("functions", letters=letters, count=50)[1]["functions"]
                expected = [name for name in names if re.search(".*".join(map(re.escape, letters)), name, re.IGNORECASE)]
                self.check(f"functions with {letters[:9]}", sorted(one["name"] for one in found) == sorted(expected), (found, expected))
                spelled = ["".join(one["name"][at] for at in one["at"]).lower() for one in found]
                self.check(f"{letters[:9]}: where they are", all(text == letters.lower() for text in spelled) and all(one["at"] == sorted(set(one["at"])) for one in found), found)
            best = [served.ask("functions", letters=letters, count=1)[1]["functions"][0]["name"] for letters in ("sort", "main", "qs", "hs", "swp")]
            self.check("the best is first", best[1:] == ["main", "quick_sort", "heap_sort", "swap"] and "sort" in best[0], best)

    def lines_of_source(self, served):
        """A line of the source leads to where its code runs next, forward and backward: the source at the position is that line."""
        events = served.ask("trace")[1]["events"]
        places = [served.ask("source", at=event, count=1)[1] for event in range(0, events - 1, 7)]
        lines = sorted({(place["file"].rsplit("/", 1)[-1], place["line"]) for place in places if place.get("line")})
        for file, line in lines[::5]:
            at = None
            for way, start in (("first", "start"), ("forward", events // 3), ("backward", events - 1)):
                status, answer = served.ask("find", what=f"{file}:{line}", way=way, at=start)
                if status == 404 and way == "forward":
                    continue
                there = served.ask("source", at=answer.get("at", "start"), count=1)[1]
                self.check(f"{file}:{line} {way}", status == 200 and there.get("line") == line, (status, answer, there.get("line")))
                at = answer.get("at") if way == "first" else at
                earlier = at if isinstance(at, int) else -1
                self.check(f"{file}:{line} {way}: in order", status == 200 and (answer["at"] if isinstance(answer["at"], int) else -1) >= earlier, (answer, at))
        for what, expected in (("sort.c:1", 404), ("nothing.c:3", 404), ("sort.c:", 400), (":3", 400), ("sort.c:99999999999999999999", 404)):
            status, answer = served.ask("find", what=what, at=0)
            self.check(f"find {what}: {expected}", status == expected, (status, answer))

    def packed(self):
        """Answers that take more than a packet are compressed for who reads that, and say the same."""
        trace = shutil.copy(CORPUS / TRACES[0][0], self.directory)
        with Served(self.trawl, [trace]) as served:
            for path in ("/api/v1/view?rows=200", "/app.js", "/", "/api/v1/chart?columns=500&levels=20"):
                _, plain, body = served.request(path)
                status, headers, small = served.request(path, {"Accept-Encoding": "br, gzip, deflate"})
                self.check(f"{path}: is compressed", status == 200 and headers.get("Content-Encoding") == "gzip" and headers.get("Vary") == "Accept-Encoding" and len(small) < len(body) / 2, (headers, len(small), len(body)))
                self.check(f"{path}: is the same", gzip.decompress(small) == body and "Content-Encoding" not in plain, plain)
            for accepted in ("identity", "br", "gzip;q=0", "deflate, gzip;q=0.0"):
                self.check(f"{accepted}: is not", "Content-Encoding" not in served.request("/app.js", {"Accept-Encoding": accepted})[1])
            self.check("nor what is small", "Content-Encoding" not in served.request("/api/v1/ready", {"Accept-Encoding": "gzip"})[1])

    def doubts(self):
        """What makes answers doubtful, of the trace and of its images, in the answer about the trace and thus in the page."""
        trace = self.directory / "doubtful.tarmac"
        lines = [f"{cpu} {line}" for cpu, name in (("cpu0", "sort"), ("cpu1", "hash")) for line in (CORPUS / "traces" / f"{name}-a64.it.tarmac").read_text().split("\n")[:-1]]
        text = [re.sub(r"^(\w+) (\d+ clk) ", r"\2 \1 ", line) for line in lines]
        text += ["99999 clk cpu0 IT (9) 40000000 f9000001 O EL1h_n : STR x1,[x0]", "99999 clk cpu0 MW4 90000000 00000000",
                 "99999 clk cpu0 IT (9) 40000004 b9400001 O EL1h_n : LDR w1,[x0]", "99999 clk cpu0 MR4 90000000 00000001"]
        trace.write_text("\n".join(text) + "\n")
        plain = shutil.copy(CORPUS / "traces" / "sort-a64.it.tarmac", self.directory / "plain.tarmac")
        with Served(self.trawl, [trace, plain], f"--image={CORPUS}/elf/sort-a64.elf") as served:
            status, about = served.ask("trace")
            for what in ("does not fit", "another value than memory had"):
                self.check(f"doubtful: {what}", status == 200 and any(what in doubt for doubt in about["doubts"]), about)
            status, about = served.ask("trace", trace=1)
            self.check("no doubts of the other trace's memory", status == 200 and not any("memory" in doubt for doubt in about["doubts"]), about)

    # --- Refused requests -------------------------------------------------------------------

    def strangers(self, served):
        here = f"127.0.0.1:{served.port}"
        path = "/api/v1/trace"
        for what, expected, path, options in (
            ("the secret", 200, path, {}),
            ("no secret", 401, path, {"known": False}),
            ("a wrong secret", 401, path, {"headers": {"Authorization": "Bearer " + "0" * 32}}),
            ("a part of it", 401, path, {"headers": {"Authorization": "Bearer " + served.token[:-1]}}),
            ("the secret in the address of a question", 401, f"{path}?token={served.token}", {"known": False}),
            ("another host", 403, path, {"headers": {"Host": "evil.example"}}),
            ("another host with our port", 403, path, {"headers": {"Host": f"evil.example:{served.port}"}}),
            ("another port", 403, path, {"headers": {"Host": "127.0.0.1:1"}}),
            ("a scheme in small letters", 200, path, {"headers": {"Authorization": "bearer  " + served.token}}),
            ("another scheme", 401, path, {"headers": {"Authorization": "Basic " + served.token}}),
            ("localhost", 200, path, {"headers": {"Host": f"localhost:{served.port}"}}),
            ("another page", 403, path, {"headers": {"Origin": "http://evil.example"}}),
            ("a page of nobody", 403, path, {"headers": {"Origin": "null"}}),
            ("our page", 200, path, {"headers": {"Origin": f"http://{here}"}}),
            ("our page by TLS, which we have not", 403, path, {"headers": {"Origin": f"https://{here}"}}),
            ("another site", 403, path, {"headers": {"Sec-Fetch-Site": "cross-site"}}),
            ("the same site on another port", 403, path, {"headers": {"Sec-Fetch-Site": "same-site"}}),
            ("another method", 405, path, {"method": "DELETE"}),
            ("a body", 405, path, {"method": "POST", "body": b"x" * 100000}),
            ("no such question", 404, "/api/v1/nothing", {}),
            ("no such part", 404, "/nothing", {}),
            ("a path upwards", 404, "/../../etc/passwd", {}),
            ("one in disguise", 404, "/%2e%2e/%2e%2e/etc/passwd", {}),
            ("the page", 200, "/", {}),
            ("its script", 200, "/app.js", {}),
            ("the page without secret", 401, "/", {"known": False}),
            ("its script without secret", 401, "/app.js", {"known": False}),
        ):
            status, headers, body = served.request(path, **options)
            self.check(f"{what} gets {expected}", status == expected, (status, body[:100]))
            refusal = json.loads(body) if expected >= 400 else {"error": "none"}
            self.check(f"{what}: says why, as JSON", set(refusal) == {"error"} and refusal["error"], body[:100])
            if expected == 401:
                self.check(f"{what}: how to show the secret", headers.get("WWW-Authenticate") == "Bearer", headers)
            if expected in (401, 403):
                self.check(f"{what}: may not stay", headers.get("Connection", "").lower() == "close", headers)
            policy = headers.get("Content-Security-Policy", "")
            self.check(f"{what}: nothing from elsewhere", "default-src 'none'" in policy and headers.get("X-Content-Type-Options") == "nosniff", headers)
            self.check(f"{what}: no page of others may read it", not any(name.lower().startswith("access-control") for name in headers), headers)
        for asked in (path, "/app.js", "/nothing"):
            (status, headers, body), (code, alike, nothing) = (served.request(asked, method=method) for method in ("GET", "HEAD"))
            same = [headers.get(name) == alike.get(name) for name in ("Content-Length", "Content-Type")]
            self.check(f"HEAD of {asked}", status == code and all(same) and body and not nothing, (alike, nothing[:100]))
        status, headers, _ = served.request(f"/?token={served.token}", {"Sec-Fetch-Site": "cross-site"}, known=False)
        cookie = headers.get("Set-Cookie", "")
        self.check("who has the address is let in", status == 303 and headers.get("Location") == "/" and "HttpOnly" in cookie and "SameSite=Strict" in cookie, headers)
        status, _, _ = served.request(path, {"Cookie": cookie.split(";")[0]}, known=False)
        self.check("the cookie is known", status == 200 or path != "/api/v1/trace", status)

    def nonsense(self, served):
        numbers = ["", "-1", "x", "99999999999999999999999", "18446744073709551615", "1e3", "0x10", "\u0661", "start", "1;2", "%00"]
        for question, names in (
            ("view", ("at", "row", "rows", "columns", "line", "above", "lane", "folds", "trace")),
            ("fold", ("at", "how", "folds")),
            ("step", ("at", "how")),
            ("find", ("what", "way", "of")),
            ("registers", ("at",)),
            ("memory", ("at", "address", "size", "word")),
            ("value", ("at", "of")),
            ("history", ("at", "of", "lane", "from", "to", "columns")),
            ("writes", ("at", "of", "way", "count")),
            ("source", ("at", "from", "count")),
            ("tasks", ("lane", "from", "to", "columns", "by")),
            ("states", ("lane", "from", "to", "columns", "by")),
            ("difference", ("other", "lane", "other_lane", "count", "effects")),
            ("stack", ("at",)),
            ("chart", ("lane", "from", "to", "columns", "by")),
            ("search", ("what", "place", "count", "kind")),
            ("pane", ("what", "rows")),
            ("counts", ("lane", "at", "from", "to")),
            ("density", ("lane", "from", "to", "columns", "by")),
            ("profile", ("lane", "by", "from", "to", "count")),
            ("flame", ("lane", "from", "to", "parts", "under")),
            ("edges", ("of", "from", "to")),
            ("functions", ("from", "count", "like", "letters")),
        ):
            for name in names:
                for value in numbers:
                    status, answer = served.ask(question, **{name: value})
                    self.check(f"{question} with {name}={value!r} is answered or refused", status in (200, 400, 404) and ("error" in answer) == (status != 200), (status, answer))
        for folds in ("0:0.1", "0:0.0", "0:0.1,0.2", "0:5.1", "0:0.1,999999999.2", "7:0.1", "0:0.1;0:0.1", "0:0.1,3.*.4", "0:", ":", "0:0.18446744073709551615,1.*"):
            status, answer = served.ask("view", folds=folds, rows=3)
            self.check(f"folds {folds} are answered or refused", status in (200, 400, 404), (status, answer))
        self.check("a hostile expression is refused", served.ask("memory", at=1, address="(" * 5000)[0] in (400, 404))
        status, answer = served.ask("search", what="(a|aa)*\\1c")
        self.check("a back-reference is refused", status == 400 and "back-reference" in answer["error"], answer)
        self.check("a hostile pattern is refused or searched", served.ask("search", what="(a|b)*" * 200)[0] in (200, 400))

    def raw(self, served):
        """Bytes that are not a request; the server continues."""
        for text in (b"\x00" * 100, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET /" + b"a" * 200000 + b" HTTP/1.1\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20000 + b"\r\n"):
            with socket.create_connection((served.host, served.port), TIMEOUT_S) as talk:
                try:
                    talk.sendall(text)
                except OSError:
                    pass  # the server may close the connection
            self.check(f"goes on after {text[:20]!r}", served.ask("trace")[0] == 200)

    def at_once(self, served, events):
        """Answers to many simultaneous requests are the same as to a single one."""
        questions = [("stack", {"at": event}) for event in range(0, events, max(1, events // 40))]
        alone = [served.ask(name, **parameters) for name, parameters in questions]
        together = [None] * len(questions)

        def work(first):
            for i in range(first, len(questions), 8):
                together[i] = served.ask(questions[i][0], **questions[i][1])

        threads = [threading.Thread(target=work, args=(first,)) for first in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.check("many at once are answered as one is", alone == together)

    def bounded(self):
        """Memory is bounded for any request about a trace in which every call has its own context."""
        log = self.directory / "contexts.xray"
        entries = (struct.pack("<HBBiQII8x", 0, 0, 0, 1 + i % 1000, 1000 + i, 1, 1) for i in range(CONTEXTS))
        log.write_bytes(struct.pack("<HHIQ16x", 3, 0, 3, 1000000000) + b"".join(entries))
        with Served(self.trawl, [log]) as served:
            status, answer = served.ask("profile")
            self.check("too many contexts are refused", status == 400 and "contexts of calls: select a shorter range" in answer["error"], answer)
            status, answer = served.ask("profile", to=CONTEXTS // 10)
            self.check("fewer are added up", status == 200 and sum(row["calls"] for row in answer["functions"]) == CONTEXTS // 10 + 1, answer.get("error"))
            for question in ("flame", "chart", "density", "stack", "functions", "view"):
                served.ask(question, **openapi.taken_by(question, at=CONTEXTS - 1))
            memory_kb = int(re.search(r"RssAnon:\s+(\d+)", Path(f"/proc/{served.process.pid}/status").read_text())[1])
            self.check("memory is bounded", memory_kb < MEMORY_KB, memory_kb)
            self.abandoned(served)
        self.check("ends in order after too much", served.status == 0, (served.status, served.complaints))

    def abandoned(self, served):
        """If nobody waits for an answer any more, the work on it ends."""
        for question in ("profile", "flame"):
            request = f"GET /api/v1/{question}?to={CONTEXTS // 20} HTTP/1.1\r\nHost: {served.host}:{served.port}\r\nAuthorization: Bearer {served.token}\r\nConnection: close\r\n\r\n"
            with socket.create_connection((served.host, served.port), TIMEOUT_S) as talk:
                talk.sendall(request.encode())
                talk.shutdown(socket.SHUT_WR)
                reply = b"".join(iter(lambda: talk.recv(65536), b""))
            self.check(f"{question} ends when the client is gone", b"the client has closed" in reply or not reply, reply[:300])
        status, answer = served.ask("profile", to=CONTEXTS // 20)
        self.check("whoever waits is answered after that", status == 200, answer.get("error"))

    def hostile_text(self):
        """Text of the trace reaches the page only as text."""
        trace = self.directory / "hostile.tarmac"
        trace.write_bytes(b"1 clk IT (1) 00008000 e1a00000 A svc : <script>alert(1)</script>\x1b[2J\x00\xff\n2 clk R r0 00000001\n3 clk IT (2) 00008004 e1a00000 A svc : \"'&<img src=x>\n")
        with Served(self.trawl, [trace]) as served:
            status, headers, body = served.request("/api/v1/view?rows=3")
            self.check("is JSON", status == 200 and headers["Content-Type"] == "application/json", headers)
            text = " ".join(text_of(row) for row in json.loads(body)["text"])
            self.check("has no control characters", not re.search(r"[\x00-\x1f\x7f]", text) and "<script>" in text, text)

    def changed(self):
        """A trace that is truncated or rewritten while it is served is reported, and the server continues."""
        for what in ("cut", "written anew"):
            trace = self.directory / "changed.tarmac"
            shutil.copy(CORPUS / "traces" / "sort-a64.it.tarmac", trace)
            with Served(self.trawl, [trace]) as served:
                self.check("is served at first", served.ask("view", row=3000)[0] == 200)
                if what == "cut":
                    os.truncate(trace, 100)
                else:
                    trace.write_bytes(b"x" * 50000)
                for _ in range(3):
                    status, answer = served.ask("view", row=3000)
                    self.check(f"a trace that was {what} is said", status == 500 and "changed" in answer["error"], (status, answer))
            self.check(f"a trace that was {what} ends nothing", served.status == 0, (served.status, served.complaints))

    def damaged(self):
        """The sound part of a trace is served, and the end reports what is left out; without any sound part, no server starts."""
        trace = self.directory / "damaged.tarmac"
        text = (CORPUS / "traces" / "sort-a64.it.tarmac").read_bytes()
        trace.write_bytes(text[: len(text) // 2 - 7].replace(b"IT (30)", b"IT (3x"))
        with Served(self.trawl, [trace]) as served:
            self.check("what is sound is served", served.ask("stack", at=100)[0] == 200)
        self.check("damage is said at the end", served.status == 3 and "damage" in served.complaints, (served.status, served.complaints))
        for what, text, said in (("an empty trace", b"", "no events"), ("no trace at all", b"hello\n" * 500, "instruction")):
            trace.write_bytes(text)
            run = subprocess.run([self.trawl, "serve", trace], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
            self.check(f"{what} is refused", run.returncode == 1 and said in run.stderr, run)

    def spoiled_index(self):
        """An index with a changed byte gives the answers of the sound index, or none."""
        trace = self.directory / "spoiled.tarmac"
        shutil.copy(CORPUS / "traces" / "sort-a64.it.tarmac", trace)
        index = Path(f"{trace}.index")
        questions = [(name, {"at": event}) for name in ("stack", "registers", "step") for event in (5, 400, 900, 1500)]
        questions += [("chart", {"columns": 200}), ("functions", {}), ("writes", {"of": "sp", "at": 1500}), ("view", {"row": 3000})]
        questions += [("fold", {"at": 900, "how": "all"}), ("memory", {"at": 900, "address": "sp"})]
        with Served(self.trawl, [trace]) as served:
            sound = [served.ask(name, **parameters) for name, parameters in questions]
        whole = index.read_bytes()
        for _ in range(SPOILED):
            at = self.random.randrange(len(whole))
            index.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << self.random.randrange(8)]) + whole[at + 1 :])
            try:
                with Served(self.trawl, [trace], "--no-index") as served:
                    answers = [served.ask(name, **parameters) for name, parameters in questions]
            except AssertionError:
                self.check("a spoiled index is refused", True)
                continue
            for (name, parameters), (status, answer), right in zip(questions, answers, sound):
                self.check(f"byte {at} spoiled: {name} {parameters}", status == 500 or (status, answer) == right, (status, answer))
            self.check(f"byte {at} spoiled: ends in order", served.status is not None and served.status >= 0, served.status)

    def opening(self):
        """Where a page opens: at a failure, else where main is called, else at the end; the reasons are what the traces are known for."""
        for name, image, at, reason in (
            ("sort-a64.it.tarmac", "sort-a64.elf", None, "the first call of main"),
            ("sort-a64.it.tarmac", None, "end", "the end: no call of main is known"),
            ("hang-a64.it.tarmac", "hang-a64.elf", None, "the run ends in a loop of 5 instructions, in wait_for_flag"),
            ("corrupt-a64.it.tarmac", "corrupt-a64.elf", None, "the run ends in panic"),
        ):
            images = ["--image", CORPUS / "elf" / image] if image else []
            with Served(self.trawl, [CORPUS / "traces" / name], "--memory-index", *images) as served:
                status, answer = served.ask("opening")
                last = served.ask("step", how="end")[1]["at"]
                following = served.ask("view", at=answer["at"], rows=4)[1]["text"]
            self.check(f"{name} opens there", status == 200 and answer["reason"].startswith(reason), answer)
            self.check(f"{name} opens at its end, or before", answer["at"] == last if at == "end" else answer["at"] < last, (answer, last))
            self.check(f"{name} shows what comes there", image is None or any(text_of(row) for row in following), following)
        self.fault()
        with Served(self.trawl, [CORPUS / "xray" / "threads.fdr.xray"], "--memory-index") as served:
            answer = served.ask("opening")[1]
        self.check("a log of calls opens at its beginning", answer["reason"].startswith("the beginning") and answer["at"] == 0, answer)
        # A second run in the same file begins with a reset, which is no failure of the first one.
        twice = self.directory / "twice.tarmac"
        twice.write_text(2 * (CORPUS / "traces" / "sort-a64.it.tarmac").read_text())
        with Served(self.trawl, [twice], "--memory-index", "--image", CORPUS / "elf" / "sort-a64.elf") as served:
            answer = served.ask("opening")[1]
        self.check("a reset is no failure", answer["reason"] == "the first call of main", answer)

    def fault(self):
        """A data abort that the trace ends in: the page opens at the exception that never returns."""
        trace = self.directory / "fault.tarmac"
        lines = (CORPUS / "traces" / "sort-a64.it.tarmac").read_text().splitlines(keepends=True)
        cut = next(i for i, line in enumerate(lines) if i > 900 and " IT " in line)
        clock, number = lines[cut].split()[0], int(re.search(r"IT \((\d+)\)", lines[cut]).group(1))
        vector = [f"{clock} clk E 00080400 00000001 CoreEvent_CURRENT_SPx_SYNC\n", f"{clock} clk IT ({number}) 00080400 d503201f O EL1h_s : NOP\n", f"{clock} clk IT ({number + 1}) 00080404 d503201f O EL1h_s : NOP\n"]
        trace.write_text("".join(lines[:cut] + vector))
        with Served(self.trawl, [trace], "--memory-index", "--image", CORPUS / "elf" / "sort-a64.elf") as served:
            answer, frames = served.ask("opening")[1], served.ask("stack", at=served.ask("step", how="end")[1]["at"])[1]["frames"]
        self.check("a fault is where the page opens", "the last exception never returns" in answer["reason"], (answer, frames[:3]))

    def early(self):
        """The address is printed, and questions are taken, before the index is built; the beginning of the text is shown until then."""
        trace = self.directory / "early.tarmac"
        text = (CORPUS / "traces" / "sort-a64.it.tarmac").read_text()
        trace.write_text(text * 60)
        with Served(self.trawl, [trace], "--force-index", waits=False) as served:
            status, answer = served.ask("ready", rows=3)
            wanted = [] if answer["is_ready"] else text.splitlines()[:3]
            self.check("how far it is", status == 200 and answer["rows"] == wanted and answer["done_bytes"] <= trace.stat().st_size, answer)
            self.check("a question waits for the index", served.ask("trace")[1]["lines"] == 60 * text.count("\n"))
            status, answer = served.ask("ready")
            self.check("then it is ready", answer["is_ready"] and not answer["rows"], answer)
            self.check("a wrong count", served.ask("ready", rows="x")[0] == 400)
        run = subprocess.run([self.trawl, "serve", "--no-open", self.directory / "none"], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        self.check("no address without a trace", run.returncode == 1 and not run.stdout, run)
        trace.write_text("no trace\n" * 500)
        run = subprocess.run([self.trawl, "serve", "--no-open", trace], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        self.check("a failure is told after the address", run.returncode == 1 and run.stdout.startswith("http") and "no instructions" in run.stderr, run)

    def form(self):
        """Browsers that do not know the secret get a form for it, also by a link from elsewhere; it has nothing of the trace."""
        with Served(self.trawl, [CORPUS / "traces" / "sort-a64.it.tarmac"], "--memory-index") as served:
            html = {"Accept": "text/html,application/xhtml+xml"}
            for what, path, headers, known in (
                ("no secret", "/", html, False),
                ("a wrong secret", "/?token=" + "0" * 32, html, False),
                ("a link from elsewhere", "/", html | {"Sec-Fetch-Site": "cross-site"}, False),
                ("a link from elsewhere that is known", "/", html | {"Sec-Fetch-Site": "cross-site"}, True),
            ):
                status, about, body = served.request(path, headers, known=known)
                self.check(f"{what}: a form", status == 401 and b'id="secret"' in body and "text/html" in about.get("Content-Type", "") and "frame-ancestors 'none'" in about["Content-Security-Policy"], (status, body[:80]))
                self.check(f"{what}: nothing of the trace", b"sort-a64" not in body and about.get("Connection", "").lower() == "close")
            for part, expected in (("style.css", 200), ("enter.js", 200), ("app.js", 401), ("index.html", 401), ("api/v1/ready", 401)):
                status = served.request(f"/{part}", html, known=False)[0]
                self.check(f"{part} without the secret", status == expected, status)
            status = served.request("/", html | {"Host": "evil.example"}, known=False)[0]
            self.check("no form under another name", status == 403, status)
            status = served.request("/enter.js", {"Sec-Fetch-Site": "cross-site"}, known=False)[0]
            self.check("its script is for our pages", status == 403, status)

    def refusals(self):
        trace = CORPUS / "traces" / "sort-a64.it.tarmac"
        for what, words, said in (
            ("an address that others reach", ["--listen", "0.0.0.0:0"], "--public"),
            ("no address", ["--listen", "nowhere:1"], "other machines"),
            ("no port", ["--listen", "127.0.0.1:70000"], "ADDRESS:PORT"),
        ):
            run = subprocess.run([self.trawl, "serve", "--memory-index", *words, trace], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
            self.check(f"{what} is refused", run.returncode == 2 and said in run.stderr and not run.stdout, run)
        run = subprocess.run([self.trawl, "serve", self.directory / "none"], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        self.check("no trace is refused", run.returncode == 1 and "none" in run.stderr and not run.stdout, run)
        with Served(self.trawl, [trace], "--memory-index") as served:
            run = subprocess.run([self.trawl, "serve", "--memory-index", "--listen", f"127.0.0.1:{served.port}", trace], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
            self.check("a port that is taken is refused", run.returncode == 1 and "cannot listen" in run.stderr, run)
            self.check("a trace without an index beside it is served", served.ask("stack", at=5)[0] == 200)

    def last_page(self):
        """With --one-page the server ends when the page is closed."""
        with Served(self.trawl, [CORPUS / "traces" / "sort-a64.it.tarmac"], "--memory-index", "--one-page") as served:
            self.close_page(served)

    def close_page(self, served):
        """A page opens, is suspended, and is closed: the server that was started for it ends."""
        for what, expected in (("opened?page=7", 200), ("asleep?page=7", 200), ("opened?page=x", 404), ("burnt?page=7", 404), ("closed?page=7", 200)):
            status = served.request(f"/api/v1/page/{what}", method="POST", body=b"")[0]
            self.check(f"page {what} gets {expected}", status == expected, status)
        self.check("a stranger's page is none", served.request("/api/v1/page/opened?page=8", method="POST", body=b"", known=False)[0] == 401)
        try:
            status = served.process.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired:
            status = None
        self.check("ends after its page", status == 0, status)

    def window(self):
        """tarmac-gui-browser: it reads the calls of tarmac-browser, and ends when its page is closed."""
        trace = self.directory / "window.tarmac"
        shutil.copy(CORPUS / "traces" / "sort-a64.it.tarmac", trace)
        program = Path(self.trawl).with_name("tarmac-gui-browser")
        environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        with Served(program, [trace], "--image", CORPUS / "elf" / "sort-a64.elf", words=("-q",), env=environment) as served:
            status, about = served.ask("trace")
            self.check("tarmac-gui-browser serves", status == 200 and about["can"]["registers"] and about["lines"] == len(trace.read_text().split("\n")) - 1, about)
            status, answer = served.ask("stack", at=900)
            self.check("with names", status == 200 and any(frame["name"] == "heap_sort" or "main" in (frame["name"] or "") for frame in answer["frames"]), answer)
            self.close_page(served)

    def opener(self):
        """On a desktop, a browser is redirected to the address by a file that only the user can read; otherwise none is started."""
        trace = CORPUS / "traces" / "sort-a64.it.tarmac"
        browser, note = self.directory / "browser", self.directory / "opened"
        browser.write_text(f'#!/bin/sh\nstat -c %a "$2" > {note}.part\ncat "$2" >> {note}.part\necho "$1" "$2" >> {note}.part\nmv {note}.part {note}\n')
        browser.chmod(0o755)
        remote = ("DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")
        plain = {name: value for name, value in os.environ.items() if name not in remote}
        plain |= {"BROWSER": f"{browser} --new-window:none", "XDG_RUNTIME_DIR": str(self.directory)}
        for what, words, environment, opens in (
            ("a desktop", (), {"DISPLAY": ":9"}, True),
            ("another desktop", (), {"WAYLAND_DISPLAY": "wayland-0"}, True),
            ("no desktop", (), {}, False),
            ("ssh", (), {"DISPLAY": ":9", "SSH_CONNECTION": "here there"}, False),
            ("--no-open", ("--no-open",), {"DISPLAY": ":9"}, False),
        ):
            note.unlink(missing_ok=True)
            with Served(self.trawl, [trace], "--memory-index", *words, words=("serve",), env=plain | environment) as served:
                address = served.address
                while opens and not note.exists() and served.process.poll() is None:
                    select.select([], [], [], 0.05)
            self.check(f"{what}: a browser is opened or not", note.exists() == opens and ("Opening" in served.complaints) == opens, served.complaints)
            if not opens:
                continue
            mode, *text, call = note.read_text().splitlines()
            self.check(f"{what}: by a file of the user alone", mode == "600" and address in "".join(text), (mode, text))
            self.check(f"{what}: the secret is on no command line", served.token not in call and call.startswith("--new-window "), call)
            for _ in range(200):
                if not Path(call.split()[1]).exists():
                    break
                select.select([], [], [], 0.05)
            self.check(f"{what}: the file goes with the server", not Path(call.split()[1]).exists(), call)


def bytes_of(memory):
    return [None if byte == ".." else int(byte, 16) for byte in re.findall("..", memory["bytes"])]


def text_of(row):
    return "".join(part[1] for part in row)


@pytest.fixture
def checks(trawl, place):
    return Questions(trawl, place)


@pytest.mark.parametrize("trace, image", TRACES, ids=lambda path: Path(path or "").stem)
def test_answers(checks, trace, image):
    checks.answers(trace, image)


def test_what_comes_from_outside(checks):
    trace = shutil.copy(CORPUS / TRACES[0][0], checks.directory)
    with Served(checks.trawl, [trace]) as served:
        checks.strangers(served)
        checks.nonsense(served)
        checks.raw(served)
        checks.at_once(served, served.ask("trace")[1]["events"])
    checks.check("ends in order after all that", served.status == 0, (served.status, served.complaints))


@pytest.mark.parametrize("what", ["notes", "other_kinds", "doubts", "bounded", "hostile_text", "changed", "damaged", "spoiled_index", "refusals", "last_page",
                                  "slow", "stopped", "window", "opener", "variables", "tasks", "states", "difference", "opening", "early", "form", "arguments", "series", "letters", "packed", "wide", "order", "in_lanes"])
def test_server(checks, what):
    getattr(checks, what)()


# --- The interface -------------------------------------------------------------------------------


def test_document():
    """The interface is described in the form of OpenAPI, for each question that the server knows, with all parameters of the guide."""
    asked = set(re.findall(r'\{"(\w+)", answer_', (ROOT / "src/serve/answer.c").read_text())) | {"ready"}
    guide = dict(re.findall(r"(?m)^\| `(\w+)`(?:, by POST)? \|(.*?)\|", (ROOT / "docs/serve-api.md").read_text()))
    assert {path[1:] for path in openapi.DOCUMENT["paths"]} == asked == set(guide) - {"request"}
    for question, words in guide.items():
        known = openapi.parameters_of(question)
        named = {word for word in re.findall(r"`(\w+)", words)} & known
        unnamed = known - named - {"trace", "folds", "lane"}
        assert not unnamed or "the same" in words or "as `" in words, f"{question}: the guide does not name {unnamed}"


def test_valid():
    """The description itself is valid, by the validator of PyPI."""
    pytest.importorskip("openapi_spec_validator", reason="no validator (openapi-spec-validator of PyPI)").validate(openapi.DOCUMENT)


def test_words(trawl, place, checker):
    """A position and a lane have the words that commands take."""
    path, image = place / "run.tarmac", CORPUS / "elf/twocores-a64.elf"
    shutil.copy(CORPUS / "traces/twocores-a64.it.tarmac", path)
    with Served(trawl, [path], "--image", image) as served:
        for word in ("event:120", "line:300", "time:100", "byte:4000", "pc:main", "pc:main#1", "end", "start"):
            said = json.loads(quick.run([trawl, "state", str(path), "--image", str(image), "--at", word, "--format", "json"], timeout=TIMEOUT_S).stdout)
            event = (said["position"] or {}).get("event")
            status, answer = served.ask("step", how="stay", at=word)
            checker.expect(word, (status, answer["at"]), (200, "start" if event is None else event))
            checker.expect(f"{word}: by its number", served.ask("registers", at=word), served.ask("registers", at=answer["at"]))
        for wrong, code in (("event:99999999", 404), ("line:0", 400), ("pc:nix", 400), ("nowhere", 400), ("event:", 400), (":", 400)):
            status, _, body = served.request(f"/api/v1/stack?at={wrong}")
            checker.check(f"{wrong} is refused", status in (code, 404) and "error" in json.loads(body), (status, body))
        names = [lane["name"] for lane in served.ask("trace")[1]["lanes"]]
        checker.check("two cores", len(set(names)) == 2, names)
        for number, name in enumerate(names):
            for question in ("profile", "chart", "flame"):
                named = served.ask(question, lane=name)
                checker.expect(f"{question} of {name}", named, served.ask(question, lane=number))
                checker.expect(f"{question} of {name}, with a prefix", named, served.ask(question, lane=f"name:{name}"))
            checker.expect(f"view of {name}", served.ask("view", lane=name, rows=5), served.ask("view", lane=number + 1, rows=5))
            checker.expect(f"the name of {name}", served.ask("find", what="main", way="first", of=name)[1].get("lane_name", name), name)
        checker.expect("no such core", served.ask("profile", lane="nix")[0], 404)


def test_undocumented(trawl, place, checker):
    """What is not in the description fails: a request that no one knows is refused, and the checks of these tests see what is missing."""
    path = place / "run.tarmac"
    shutil.copy(CORPUS / "traces/sort-a64.it.tarmac", path)
    with Served(trawl, [path]) as served:
        checker.expect("an unknown question", served.request("/api/v1/nix")[0], 404)
        answer = served.ask("stack", at="end")[1]
    for what, request in {"question": ("nix", {}), "parameter": ("stack", {"nix": 1}), "value": ("stack", {"at": "?"}), "missing": ("find", {})}.items():
        checker.check(f"request: {what}", openapi.fault_of_request(*request))
    checker.expect("as it is", openapi.fault_of_answer("stack", 200, answer), None)
    frame = answer["frames"][0]
    spoiled = {"more": {**answer, "nix": 1}, "less": {"frames": []}, "another type": {**answer, "frames": [{**frame, "pc": 1}]}}
    for what, other in spoiled.items():
        checker.check(f"answer: {what}", openapi.fault_of_answer("stack", 200, other))
