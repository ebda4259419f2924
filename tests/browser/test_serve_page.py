"""The page of `trawl serve` in Chromium: opening, moving, folding, searching, links, light and dark.

    tests/run.py serve_page

    tests/with_npm playwright-core axe-core -- tests/run.py serve_page      gets what it needs, as in .ci/run

Needs chromium, node and playwright-core (from npm: globally, or where NODE_PATH points); otherwise it is skipped. With axe-core, it also checks
that the page is accessible.
"""

import json
import lzma
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from checker import Checker
from node_packages import browser_tools, find_package
from served import Served

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
TIMEOUT_S = 180
KINDS = ["xray/threads.fdr.xray", "traces/twocores-a64.it.tarmac", "tfile/full.tf", "xray/arguments.fdr.xray"]


class Pages(Checker):
    def page(self, steps):
        opened = steps["open"]
        self.check("the secret leaves the address", "token" not in opened["url"], opened)
        self.check("the title is the trace", "sort-a64.it.tarmac" in opened["title"], opened)
        self.check("opens where main is called", opened["place"].endswith("pc main") and any(row.endswith("BL       main") for row in opened["rows"]), opened)
        self.check("the ruler has round numbers", opened["ruler"].split("|")[:3] == ["0", "200", "400"], opened["ruler"])
        self.check("the chart has calls", int(opened["bars"]) > 20, opened)
        self.check("steps go down", steps["down"]["at"] == "3", steps["down"])
        self.check("goes to a function", "heap_sort" in steps["go"]["place"] and any("BL" in row for row in steps["go"]["chosen"]), steps["go"])
        self.check("steps into it", "heap_sort+0x4" in steps["into"]["place"], steps["into"])
        frames = steps["stack"]["frames"]
        self.check("tells the stack", [frame.split()[0].split("+")[0] for frame in frames] == ["heap_sort", "main", "_start"], frames)
        self.check("tells who wrote", any("80650" in write for write in steps["writes"]["writes"]), steps["writes"])
        self.check("shows its values over time", steps["track"]["values"] == "1" and "x30" in steps["track"]["name"], steps["track"])
        self.check("tells what is under the mouse", re.match(r"x(29|30) = 0000", steps["hover"]["text"]) and "last write" in steps["hover"]["text"], steps["hover"])
        self.check("names what is on the stack", "_start" in steps["words"]["text"], steps["words"])
        self.check("a pinned pane stays, also in the link", steps["pin"]["before"] == steps["pin"]["after"] and "panes=registers" in steps["pin"]["url"], steps["pin"])
        origin = steps["origin"]
        self.check("tells where a value comes from", len(origin["chain"]) >= 1 and "x30" in origin["chain"][0] and "constant in the code" in origin["chain"][-1], origin)
        self.check("a step of the chain leads to its place", origin["there"] != origin["asked"] and origin["highlighted"] == 1, origin)
        self.check("back returns from it", origin["back"] == origin["asked"] and origin["after"] == origin["chain"], origin)
        self.check("a pane closes", steps["unpin"]["panes"] == 7, steps["unpin"])
        self.check("folds", any("+ main" in row for row in steps["fold"]["rows"]), steps["fold"]["rows"][-3:])
        self.check("finds", int(steps["search"]["hits"].split()[0]) > 5 and any("STP" in row for row in steps["search"]["chosen"]), steps["search"])
        self.check("marks hits in the chart", int(steps["marked"]["hits"] or 0) > 5, steps["marked"])
        self.check("goes to the end", any("1812" in row for row in steps["end"]["rows"]), steps["end"]["rows"][-2:])
        self.check("a link leads to its place", steps["link"]["place"] == steps["go"]["place"], steps["link"])
        note = steps["note"]
        self.check("takes a note as text", any("<img src=x> here" in text for text in note["row"]) and "<img src=x> here" in note["list"] and note["images"] == 0 and note["marks"] == "1", note)
        self.check("marks exceptions in the chart", note["exceptions"] == "1", note)
        self.check("removes it", steps["unnoted"]["count"] == 0, steps["unnoted"])
        counts = steps["counts"]
        self.check("shows the source at the position, with counts", int(counts["counted"] or 0) > 5 and counts["place"] == "sort.c:65" and counts["here"][0] == "65" and counts["here"][1].split() == ["1", "3"], counts)
        profile = steps["profile"]
        self.check("selects by dragging", profile["range"].startswith("events 3") and len(profile["rows"]) > 5, profile)
        self.check("has the profile of that", any(row.startswith("363") and "quick_sort" in row for row in profile["rows"]), profile)
        self.check("filters it", all("sort" in row for row in steps["filter"]["rows"][1:]) and len(steps["filter"]["rows"]) < len(profile["rows"]), steps["filter"])
        self.check("tells callers and callees", all(name in steps["around"]["text"] for name in ("main", "ascending", "swap")), steps["around"])
        self.check("goes to a call", "quick_sort" in steps["call"]["place"], steps["call"])
        self.check("draws a flame graph", int(steps["flame"]["frames"]) > 10, steps["flame"])
        self.check("shows what is below a frame", "under=0x" in steps["zoom"]["url"], steps["zoom"])
        self.check("has a call tree", any("main" in row for row in steps["tree"]["rows"]) and len(steps["tree"]["rows"]) > 2, steps["tree"])
        self.check("goes back to the look before", steps["back"]["look"].startswith("flame"), steps["back"])
        self.check("closes it", steps["closed"]["is_hidden"], steps["closed"])
        beside = steps["beside"]
        self.check("shows another trace beside it", beside["same"] in beside["first"], beside)
        self.check("scrolls both together, as far apart as they were put", beside["shifted"] not in (None, "0") and str(beside["apart"]) == beside["shifted"], beside)
        self.check("tells where the other is", "line" in beside["at"], beside)
        self.check("closes the other", steps["alone"]["is_hidden"], steps["alone"])
        self.check("can be dark", steps["dark"]["back"] == "rgb(20, 23, 28)", steps["dark"])
        self.check("tells its keys", steps["help"]["keys"] > 10, steps["help"])
        self.check("has no faults", not steps["faults"]["faults"] and not steps["faults"]["scripts"], steps["faults"])


    def kinds(self, steps):
        threads = steps["threads"]
        self.check("threads of a log are lanes", len(threads["names"]) > 3 and all(threads["bars"]), threads)
        self.check("on one axis of time", threads["ruler"].startswith("0 ") and threads["ruler"].endswith("s"), threads["ruler"])
        self.check("a lane folds", [lane["isOpen"] for lane in steps["folded"]["lanes"]][:3] == [False, True, True] and "lanes=0" in steps["folded"]["url"], steps["folded"])
        self.check("and is folded in the link", [lane["isOpen"] for lane in steps["kept"]["lanes"]][:3] == [False, True, True], steps["kept"])
        self.check("an outermost call leads to its own lane", steps["outermost"]["lane"] == steps["outermost"]["wanted"], steps["outermost"])
        self.check("a chosen lane has rows, calls and position", steps["chosen"]["lane"] == 3 and steps["chosen"]["rows"] and steps["chosen"]["frames"], steps["chosen"])
        self.check("rows of one thread at a time are not called all", steps["chosen"]["option"] == "Thread of the position", steps["chosen"])
        self.check("steps stay in the chosen lane", steps["stepped"]["lane"] == 3, steps["stepped"])
        zoomed = steps["zoomed"]
        self.check("keys zoom and move all lanes", any(zoomed["bars"]) and zoomed["moved"][0] > zoomed["zoomed"][0] and zoomed["moved"][1] - zoomed["moved"][0] == zoomed["zoomed"][1] - zoomed["zoomed"][0], zoomed)
        self.check("cores are lanes", len(steps["cores"]["bars"]) == 2 and all(steps["cores"]["bars"]), steps["cores"])
        self.check("arguments of a log are with its calls", any("(0x" in frame for frame in steps["arguments"]["frames"]), steps["arguments"])
        self.check("its times are seconds since it began", steps["arguments"]["unit"] == "time" and re.search(r"time 0\.0000\d+ s", steps["arguments"]["place"]), steps["arguments"])
        self.check("what changes from frame to frame is a track", len(steps["frames"]["tracks"]) == 4 and "0x404064:4" in steps["frames"]["tracks"], steps["frames"])
        self.check("frames have rows and registers, and no lanes", not steps["frames"]["lanes"] and steps["frames"]["rows"] and len(steps["frames"]["registers"]) > 3, steps["frames"])
        self.check("no faults with other kinds", not steps["faults"]["faults"] and not steps["faults"]["message"], steps["faults"])


    def jobs(self, steps):
        most = {"hot function": 1, "jump by a part of a name": 3, "zoom to one call": 1, "who wrote it": 1, "follow a pointer": 1, "source beside": 0, "compare": 1, "tasks": 0}
        for job, actions in most.items():
            self.check(f"{job}: {actions} actions", steps[job]["actions"] <= actions, steps[job])
        self.check("the hottest function is first", "quick_sort" in steps["hot function"]["first"] and steps["hot function"]["isVisible"], steps["hot function"])
        zoom = steps["zoom to one call"]["stretch"]
        self.check("one call fills the picture", 900 < zoom[0] < 972 and zoom[1] - zoom[0] < 800, zoom)
        wrote = steps["who wrote it"]
        self.check("who wrote it can be seen", all(wrote["areVisible"]) and any("80650" in row for row in wrote["writes"]) and "constant in the code" in wrote["origin"][-1], wrote)
        self.check("a pointer opens what it points to", steps["follow a pointer"]["before"] != steps["follow a pointer"]["after"], steps["follow a pointer"])
        search = steps["search"]
        self.check("keys go on after a search, and hits are marked", search["next"] and search["listed"] > 3 and search["marked"] and search["bar"], search)
        self.check("the source is there without being asked", steps["source beside"]["here"] and steps["source beside"]["isVisible"], steps["source beside"])
        self.check("marks tell their distance", re.match(r"A to B: [0-9\u202f]+ events", steps["measure"]["measured"]), steps["measure"])
        track = steps["an expression over time"]
        self.check("an expression is a track, and in the link", "=sp-x29" in track["tracks"] and track["values"] == "2" and "tracks=" in track["url"], track)
        share = steps["note and share"]
        self.check("what is copied", any(text.startswith("http://") for text in share["things"]) and not any("token" in text for text in share["things"]) and any(text.startswith("trawl state --at event:") for text in share["things"]), share)
        compare = steps["compare"]
        self.check("the difference is found on both sides", len(compare["list"]) == 1 and all(compare["marked"]) and "1 write something else" in compare["said"] and "heap_sort+0xc" in compare["other"], compare)
        both = steps["registers of both"]
        self.check("registers that differ are marked, with the other value", any("x0" in row and "there" in row for row in both["marked"]), both)
        self.check("the other run's calls are below", both["levels"] == 1 and "other.tarmac" in both["tracks"], both)
        flame = steps["flame graph of both"]
        self.check("the flame graph says what takes more", "more time there" in " ".join(flame["legend"]) and "there: the same" in " ".join(flame["chosen"]), flame)
        merged = [[row[0], row[1], row[4], row[6]] for row in flame["merged"]]
        self.check("stacks of two runs are one, with what has vanished", merged == [[0, "main", 130, {"here": 100, "there": 120}], [1, "a", 80, {"here": 60, "there": 80}], [1, "b", 30, {"here": 30, "there": 0}], [1, "c", 20, {"here": 0, "there": 20}]], merged)
        self.check("the profile has both", "change" in " ".join(steps["profile of both"]["head"]), steps["profile of both"])
        tasks = steps["tasks"]["tracks"]
        self.check("tasks are tracks", all(any(name.startswith(task) for name in tasks) for task in ("task_sorts", "task_recursion", "task_worker")), tasks)
        states = steps["states"]
        self.check("states of tasks are tracks", {"radio: state", "drain: state"} <= set(states["tracks"]) and "radio is " in states["told"] and "task " in states["stack"], states)
        for width in (390, 700, 1024, 3840):
            about = steps[f"{width} wide"]
            self.check(f"nothing is cut off or too small at {width}", not about["outside"] and not about["small"] and about["scroll"] <= 0, about)
        self.check("axe finds nothing", not steps["axe"]["found"], steps["axe"])
        self.check("no faults in any job", not steps["faults"]["faults"], steps["faults"])


    def keys(self, steps):
        """The same jobs without a mouse."""
        hot = steps["hot function"]
        self.check("Tab leads from the trace to the profile, and shows where it is", hot["presses"] and hot["marked"] and "called by" in hot["around"], hot)
        self.check("keys jump by a part of a name", steps["jump"]["place"].endswith("pc heap_sort"), steps["jump"])
        self.check("keys zoom to one call", steps["zoom to one call"]["shown"] != steps["zoom to one call"]["whole"], steps["zoom to one call"])
        wrote = steps["who wrote it"]
        self.check("keys tell who wrote it", len(wrote["writes"]) > 2 and "x30" in wrote["origin"][0], wrote)
        self.check("keys follow a pointer", steps["follow a pointer"]["before"] != steps["follow a pointer"]["after"], steps["follow a pointer"])
        search = steps["search"]
        self.check("names that replaced addresses are found, listed and marked", search["next"] and search["hits"] == "10 found" and len(search["rows"]) == 10 and all(re.search(r"BL +\w+_sort", row) for row in search["rows"]) and search["marked"] and search["bar"], search)
        self.check("keys go to a line of the source", steps["source beside"]["here"][0].startswith("65"), steps["source beside"])
        self.check("keys note and share", len(steps["note and share"]["notes"]) == 1 and steps["note and share"]["link"], steps["note and share"])
        compare = steps["compare"]
        self.check("keys compare two runs", compare["isThere"] and compare["place"] != compare["home"], compare)
        self.check("memory that differs is marked, with the other value", "there: 77" in steps["memory of both"]["marked"], steps["memory of both"])
        both = steps["selection of both"]
        self.check("a selection has profile and flame graph of both runs", both["range"] != "the whole run" and any(text.startswith("self there") for text in both["head"]) and "there" in " ".join(both["legend"]), both)
        self.check("keys show tasks", any(name.startswith("task_sorts") for name in steps["tasks"]["tracks"]), steps["tasks"])
        self.check("no faults by keys", not steps["faults"]["faults"], steps["faults"])

    def runs(self, steps):
        """Two runs below each other, lanes and vectors."""
        axis = steps["axis"]
        for side, (begins, ends) in enumerate(laid_out(axis["lengths"], axis["regions"])):
            self.check(f"places of run {side}", axis["begins"][side] == begins and axis["ends"][side] == ends, (axis["begins"][side], begins))
            self.check(f"and back in run {side}", axis["back"][side] == list(range(len(begins))), axis["back"])
        self.check("the axis ends with the last of them", axis["span"] == max(axis["begins"][0][-1], axis["begins"][1][-1]), axis["span"])
        one = steps["one lane"]
        self.check("the ruler says whose events these are", one["ruler"] == "events of cpu0" and "lane:1" not in one["tracks"] and one["shown"].endswith("910 events of cpu0"), one)
        both = steps["both lanes"]
        self.check("or that they are those of all", both["ruler"] == "events of all" and {"lane:0", "lane:1"} <= set(both["tracks"]) and both["units"][:2] == ["events of cpu0", "events of all"] and both["shown"].replace("\u202f", "").endswith("1387 events of all"), both)
        self.check("a click goes to that event", abs(steps["a click on the ruler"]["at"] - 693) < 4, steps["a click on the ruler"])
        differ = steps["differences of a lane"]
        self.check("differences say of which lane", differ["list"].startswith("cpu") and differ["gaps"] == "0 1", differ)
        for by, range_ in (("events", "events 100 to 699"), ("order", "events of all from 300 to 999"), ("time", "times 100 to 699")):
            part = steps[f"selection of a lane by {by}"]
            self.check(f"a selection by {by} has both runs", part["range"] == range_ and any(row[0] == row[5] for row in part["rows"]) and "there" in " ".join(part["legend"]), part)
        vectors = steps["vectors"]
        digits = vectors["whole"].split("0x")[1][:32]
        self.check("a vector is text with all digits", re.fullmatch(r"[0-9a-f]{32}", digits) and digits.strip("0"), vectors)
        lanes = [int(re.search(r"= (\w+)", told)[1], 0) for told in vectors["lanes"]]
        self.check("its lanes are numbers, the lowest first", lanes == [int(digits[24 - 8 * lane : 32 - 8 * lane], 16) for lane in range(4)], vectors)
        self.check("one lane is a track", f"v0.s[1] = {vectors['lanes'][1].split('= ')[1].split()[0]}" in vectors["one"], vectors)
        self.check("lines and choices have names", vectors["names"] == ["[0]", "[1]", "[2]", "[3]"] and vectors["choices"] == ["whole", "16 × 1", "8 × 2", "4 × 4", "2 × 8"], vectors)
        self.check("lanes are chosen, and in the link", "value:v0" not in steps["lanes chosen"]["tracks"] and "v0.8h" in steps["lanes chosen"]["url"], steps["lanes chosen"])
        self.check("notes are read on a telephone", steps["notes"]["read"] == "the beginning|the end of it", steps["notes"])
        self.check("no faults with two runs", not steps["faults"]["faults"], steps["faults"])

    def lasting(self, steps):
        """What stays, and what comes back."""
        sizes = steps["sizes"]
        self.check("panes keep their sizes", all(abs(before - after) <= 1 for before, after in zip(sizes["before"], sizes["after"])) and sizes["before"] != sizes["first"], sizes)
        self.check("which panes are open is kept", steps["open"]["before"] == steps["open"]["after"] and steps["open"]["before"] != steps["open"]["first"], steps["open"])
        paper = steps["paper"]
        self.check("paper is light", sum(paper["ink"]) > sum(paper["screen"]) + 60, paper)
        self.check("on paper nothing covers anything, and columns have names", not paper["covered"] and paper["columns"][-1].startswith("function"), paper)
        contrast = steps["contrast"]
        self.check("high contrast is more contrast", contrast["more"] > contrast["usual"] and contrast["more"] >= 7, contrast)
        lost = steps["lost"]
        self.check("a lost server is said", "answer" in lost["said"] or "lost" in lost["said"], lost)
        self.check("and found again, at the same place", lost["after"] == lost["before"] and not lost["still"], lost)
        other = steps["another browser"]
        self.check("a link holds no secret", "token" not in other["link"], other)
        self.check("another browser is asked for it", other["form"] and other["rows"] == 0, other)
        self.check("and shows the same place then", other["place"] == other["wanted"], other)
        self.check("no other faults", not steps["faults"]["faults"], steps["faults"])


def laid_out(lengths, regions):
    """The places of the events of two runs below each other: where each begins, and where what ends with it ends. What is between regions is
    in both."""
    rows, done = [], [0, 0]
    for region in [*regions, [lengths[0], None, lengths[1], None]]:
        while done[0] < region[0]:
            rows.append((0, 1))
            done = [done[0] + 1, done[1] + 1]
        assert done == [region[0], region[2]]
        ends = [lengths[side] if region[2 * side + 1] is None else region[2 * side + 1] for side in (0, 1)]
        while done != ends:
            rows.append(tuple(side for side in (0, 1) if done[side] < ends[side]))
            done = [number + (side in rows[-1]) for side, number in enumerate(done)]
    for side in (0, 1):
        places = [place for place, row in enumerate(rows) if side in row]
        yield [*places, len(rows)], [0, *(place + 1 for place in places)]


def drive(script, served, tools, directory, *more):
    """The results of a script's steps, by their names; and how it ended."""
    browser, node, playwright = tools
    words = [node, Path(__file__).with_name(script), served.address, os.environ.get("TRAWL_PICTURES", directory), playwright, browser, *more]
    run = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    return {step["step"]: step for step in map(json.loads, run.stdout.splitlines())}, run


@pytest.fixture(scope="session")
def tools():
    found, lacking = browser_tools()
    if lacking:
        pytest.skip(f"no {', '.join(lacking)}")
    return found


@pytest.fixture
def checks(trawl):
    return Pages(trawl)


def test_page(checks, tools, place):
    trace, other = (Path(shutil.copy(CORPUS / "traces" / "sort-a64.it.tarmac", place / name)) for name in ("sort-a64.it.tarmac", "other.tarmac"))
    with Served(checks.trawl, [trace, other], "--image", CORPUS / "elf" / "sort-a64.elf", "--source", CORPUS / "programs") as served:
        steps, run = drive("serve_page.mjs", served, tools, place)
    assert run.returncode == 0, run.stderr[-600:]
    checks.page(steps)


def test_jobs(checks, tools, place):
    trace, other = (Path(shutil.copy(CORPUS / "traces" / "sort-a64.it.tarmac", place / name)) for name in ("sort-a64.it.tarmac", "other.tarmac"))
    text = other.read_text()
    changed = "976 clk R X0 0000000000000003"
    assert text.count(changed) == 1
    other.write_text(text.replace(changed, changed[:-1] + "4"))
    tasks = place / "rtos.tarmac"
    tasks.write_bytes(lzma.decompress((CORPUS / "stacks" / "rtos-a64.it.tarmac.xz").read_bytes()))
    states = place / "jobs.tarmac"
    states.write_bytes(lzma.decompress((CORPUS / "os" / "jobs.tarmac.xz").read_bytes()))
    axe = find_package("axe-core")
    with Served(checks.trawl, [trace, other, tasks, "--other-image", CORPUS / "stacks" / "rtos-a64.elf", states, "--other-image", CORPUS / "os" / "jobs.elf"], "--image", CORPUS / "elf" / "sort-a64.elf", "--source", CORPUS / "programs") as served:
        steps, run = drive("serve_jobs.mjs", served, tools, place, *([axe / "axe.min.js"] if axe else []))
    assert run.returncode == 0, run.stderr[-600:]
    checks.jobs(steps)


def test_keys(checks, tools, place):
    trace, other = (Path(shutil.copy(CORPUS / "traces" / "sort-a64.it.tarmac", place / name)) for name in ("sort-a64.it.tarmac", "other.tarmac"))
    text = other.read_text()
    changed = {"976 clk R X0 0000000000000003": "976 clk R X0 0000000000000004"}
    stores = [line for line in text.splitlines() if re.match(r"(9[89]\d|1\d\d\d) clk MW", line) and line.rsplit("_", 1)[-1] != "00000077"]
    changed[stores[0]] = stores[0][:-8] + "00000077"
    for old, new in changed.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    other.write_text(text)
    tasks = place / "rtos.tarmac"
    tasks.write_bytes(lzma.decompress((CORPUS / "stacks" / "rtos-a64.it.tarmac.xz").read_bytes()))
    with Served(checks.trawl, [trace, other, tasks, "--other-image", CORPUS / "stacks" / "rtos-a64.elf"], "--image", CORPUS / "elf" / "sort-a64.elf", "--source", CORPUS / "programs") as served:
        steps, run = drive("serve_keys.mjs", served, tools, place)
    assert run.returncode == 0, run.stderr[-600:]
    checks.keys(steps)


def test_runs(checks, tools, place):
    cores, sort, neon = (Path(shutil.copy(CORPUS / "traces" / f"{name}.it.tarmac", place)) for name in ("twocores-a64", "sort-a64", "neon-a64"))
    lines = cores.read_text().splitlines(keepends=True)
    other = place / "other.tarmac"
    other.write_text("".join(lines[:900] + lines[930:]))
    with Served(checks.trawl, [cores, other, neon, sort], "--image", CORPUS / "elf" / "twocores-a64.elf") as served:
        steps, run = drive("serve_runs.mjs", served, tools, place)
    assert run.returncode == 0, run.stderr[-600:]
    checks.runs(steps)


def test_lasting(checks, tools, place):
    trace = Path(shutil.copy(CORPUS / "traces" / "sort-a64.it.tarmac", place))
    with Served(checks.trawl, [trace], "--image", CORPUS / "elf" / "sort-a64.elf", "--source", CORPUS / "programs") as served:
        steps, run = drive("serve_lasting.mjs", served, tools, place)
    assert run.returncode == 0, run.stderr[-600:]
    checks.lasting(steps)


def test_other_kinds(checks, tools, place):
    others = [Path(shutil.copy(CORPUS / path, place)) for path in KINDS]
    with Served(checks.trawl, others) as served:
        steps, run = drive("serve_kinds.mjs", served, tools, place)
    assert run.returncode == 0, run.stderr[-600:]
    checks.kinds(steps)
