"""The page of `trawl serve` in Chromium: opening, moving, folding, searching, links, light and dark.

    tests/run.py serve_page

Needs chromium, node and playwright-core (from npm: globally, or where NODE_PATH points); otherwise it is skipped.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from checker import Checker
from node_packages import browser_tools
from served import Served

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
TIMEOUT_S = 180
KINDS = ["xray/threads.fdr.xray", "traces/twocores-a64.it.tarmac", "tfile/full.tf"]


class Pages(Checker):
    def page(self, steps):
        opened = steps["open"]
        self.check("the secret leaves the address", "token" not in opened["url"], opened)
        self.check("the title is the trace", "sort-a64.it.tarmac" in opened["title"], opened)
        self.check("rows are the trace's", opened["rows"][0].startswith("0 clk R cpsr"), opened)
        self.check("the chart has calls", int(opened["bars"]) > 20, opened)
        self.check("steps go down", steps["down"]["at"] == "3", steps["down"])
        self.check("goes to a function", "heap_sort" in steps["go"]["place"] and any("BL" in row for row in steps["go"]["chosen"]), steps["go"])
        self.check("steps into it", "heap_sort+0x4" in steps["into"]["place"], steps["into"])
        frames = steps["stack"]["frames"]
        self.check("tells the stack", [frame.split()[0].split("+")[0] for frame in frames] == ["heap_sort", "main", "_start"], frames)
        self.check("tells who wrote", any("80650" in write for write in steps["writes"]["writes"]), steps["writes"])
        self.check("plots what it was", int(steps["plot"]["steps"] or 0) > 1, steps["plot"])
        self.check("tells what is under the mouse", re.match(r"x(29|30) = 0000", steps["hover"]["text"]) and "last write" in steps["hover"]["text"], steps["hover"])
        self.check("names what is on the stack", "_start" in steps["words"]["text"], steps["words"])
        self.check("a pinned pane stays, also in the link", steps["pin"]["before"] == steps["pin"]["after"] and "panes=registers" in steps["pin"]["url"], steps["pin"])
        origin = steps["origin"]
        self.check("tells where a value comes from", len(origin["chain"]) >= 1 and "x30" in origin["chain"][0] and "constant in the code" in origin["chain"][-1], origin)
        self.check("a step of the chain leads to its place", origin["there"] != origin["asked"] and origin["highlighted"] == 1, origin)
        self.check("back returns from it", origin["back"] == origin["asked"] and origin["after"] == origin["chain"], origin)
        self.check("a pane closes", steps["unpin"]["panes"] == 8, steps["unpin"])
        self.check("folds", any("+ main" in row for row in steps["fold"]["rows"]), steps["fold"]["rows"][-3:])
        self.check("finds", int(steps["search"]["hits"].split()[0]) > 5 and any("STP" in row for row in steps["search"]["chosen"]), steps["search"])
        self.check("marks hits in the chart", int(steps["marked"]["hits"] or 0) > 5, steps["marked"])
        self.check("goes to the end", any("1812" in row for row in steps["end"]["rows"]), steps["end"]["rows"][-2:])
        self.check("a link leads to its place", steps["link"]["place"] == steps["go"]["place"], steps["link"])
        note = steps["note"]
        self.check("takes a note as text", any("<img src=x> here" in text for text in note["row"]) and "<img src=x> here" in note["list"] and note["images"] == 0 and note["marks"] == "1", note)
        self.check("marks exceptions in the chart", note["exceptions"] == "1", note)
        self.check("removes it", steps["unnoted"]["is_hidden"], steps["unnoted"])
        self.check("counts lines of the source", re.search(r"\d+× +\d+ ticks", steps["counts"]["text"]), steps["counts"]["text"][:200])
        profile = steps["profile"]
        self.check("selects by dragging", profile["range"].startswith("events 3") and len(profile["rows"]) > 5, profile)
        self.check("has the profile of that", any(row.startswith("362") and "quick_sort" in row for row in profile["rows"]), profile)
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
        self.check("can be dark", steps["dark"]["back"] == "rgb(22, 24, 29)", steps["dark"])
        self.check("tells its keys", steps["help"]["keys"] > 10, steps["help"])
        self.check("has no faults", not steps["faults"]["faults"] and not steps["faults"]["scripts"], steps["faults"])


    def kinds(self, steps):
        threads = steps["threads"]
        self.check("threads of a log are lanes", len(threads["bars"]) == len(threads["names"]) > 1 and all(threads["bars"]), threads)
        self.check("a lane folds", steps["folded"]["open"] == len(threads["bars"]) - 1 and steps["folded"]["lanes"] == len(threads["bars"]) and "lanes=0" in steps["folded"]["url"], steps["folded"])
        self.check("and is folded in the link", steps["kept"]["open"] == steps["folded"]["open"], steps["kept"])
        self.check("a call of a lane leads to it", steps["click"]["before"] != steps["click"]["after"], steps["click"])
        self.check("an outermost call leads to its own lane", steps["outermost"]["lane"] == steps["outermost"]["wanted"], steps["outermost"])
        self.check("a chosen lane has rows, calls and position", steps["chosen"]["lane"] == 3 and steps["chosen"]["rows"] and steps["chosen"]["frames"], steps["chosen"])
        self.check("rows of one thread at a time are not called all", steps["chosen"]["option"] == "Thread of the position", steps["chosen"])
        self.check("steps stay in the chosen lane", steps["stepped"]["lane"] == 3, steps["stepped"])
        self.check("lanes zoom", any(steps["zoomed"]["bars"]), steps["zoomed"])
        self.check("cores are lanes", len(steps["cores"]["bars"]) == 2 and all(steps["cores"]["bars"]), steps["cores"])
        self.check("frames have rows and registers, and no lanes", steps["frames"]["isHidden"] and steps["frames"]["rows"] and len(steps["frames"]["registers"]) > 3, steps["frames"])
        self.check("no faults with other kinds", not steps["faults"]["faults"] and not steps["faults"]["message"], steps["faults"])


def drive(script, served, tools, directory):
    """The results of a script's steps, by their names; and how it ended."""
    browser, node, playwright = tools
    words = [node, Path(__file__).with_name(script), served.address, os.environ.get("TRAWL_PICTURES", directory), playwright, browser]
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


def test_other_kinds(checks, tools, place):
    others = [Path(shutil.copy(CORPUS / path, place)) for path in KINDS]
    with Served(checks.trawl, others) as served:
        steps, run = drive("serve_kinds.mjs", served, tools, place)
    assert run.returncode == 0, run.stderr[-600:]
    checks.kinds(steps)
