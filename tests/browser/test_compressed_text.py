"""Browsers of compressed traces: they show the same as for the plain trace, with and without an index, and decompress only what is shown;
damage is noticed where it is reached.

    tests/run.py compressed_text
"""

import re
import shutil
import threading

import pytest
import quick
from packed import FORMATS, gz, repeated
from served import Served
from test_access_points import TRACE_BYTES, damage_unseen, in_pieces, make_trace
from tmux_screen import Screen

TIMEOUT_S = 120
KINDS = ("gz", "independent.gz", "bgzf", "zst", "frames.zst", "xz", "blocks.xz", "lz4", "linked.lz4", "bz2")
KEYS = (
    ["Down"],
    ["Down", "Down", "NPage", "NPage"],
    ["End"],
    ["PPage", "Up"],
    ["l", "'60000", "Enter"],
    ["/", "'STR .*sp", "Enter"],
    ["n"],
    ["N", "N"],
    ["Home"],
    ["?", "'RET", "Enter"],
    ["Escape"],
)
WHOLE = "F1 keys"
DOUBTS = "the first in "  # the traces are copies of one after the other: times step back, loads show what an earlier copy stored


@pytest.fixture(scope="session")
def trace():
    return make_trace(TRACE_BYTES)


@pytest.fixture(scope="session")
def long_trace():
    """A trace with three spans that have one checksum each: damage in the middle does not affect its beginning and end."""
    return make_trace(9_000_000)


@pytest.fixture
def tmux():
    if not shutil.which("tmux"):
        pytest.skip("no tmux")


def run(trawl, folder, *words):
    return quick.run([trawl, *words], folder, timeout=TIMEOUT_S)


def screens(trawl, folder, names, all_keys=KEYS):
    """The screens after each of the keys."""
    then = [word for name in names[1:] for word in ("--then", name)]
    with Screen([str(trawl), "browse", "--at", "event:0", names[0], *then], 100, 40, cwd=folder) as screen:
        assert screen.wait_for(WHOLE, other=DOUBTS), screen.capture()
        screen.settle()
        return [screen.keys(*keys)[0] for keys in all_keys]


def without_news(text):
    """Without the last line, which reports that an index was built meanwhile."""
    return text.splitlines()[:39]


@pytest.fixture(scope="session")
def shown_of_plain(trawl, trace, tmp_path_factory):
    if not shutil.which("tmux"):
        pytest.skip("no tmux")
    folder = tmp_path_factory.mktemp("plain")
    (folder / "t").write_bytes(trace)
    assert run(trawl, folder, "index", "t").returncode == 0
    shown = screens(trawl, folder, ["t"])
    assert len(set(shown)) > len(KEYS) / 2
    return shown


@pytest.mark.parametrize("kind", KINDS)
def test_screens_are_those_of_the_plain_trace(trawl, tmp_path, trace, shown_of_plain, kind):
    if not FORMATS[kind]:
        pytest.skip("its program is not here")
    (tmp_path / "t").write_bytes(FORMATS[kind](trace))
    shown = screens(trawl, tmp_path, ["t"])
    assert [without_news(text) for text in shown] == [without_news(text) for text in shown_of_plain]
    assert (tmp_path / "t.index").exists()
    assert screens(trawl, tmp_path, ["t"]) == shown_of_plain


def test_screens_of_pieces(trawl, tmp_path, trace, shown_of_plain):
    names = in_pieces(tmp_path, trace, ["gz", None, "bgzf"])
    (tmp_path / "p.0").rename(tmp_path / "t")
    names[0] = "t"
    for _ in range(2):
        shown = screens(trawl, tmp_path, names)
        assert [without_news(text) for text in shown] == [without_news(text) for text in shown_of_plain]


def test_only_what_is_shown_is_decompressed(trawl, tmp_path, long_trace, tmux):
    """Damage without an effect on the fingerprint is found where it is to be shown, and ends the browser."""
    (tmp_path / "t").write_bytes(long_trace)
    assert run(trawl, tmp_path, "index", "t").returncode == 0
    shown_of_plain = screens(trawl, tmp_path, ["t"], KEYS[:4])
    (tmp_path / "t").write_bytes(gz(long_trace))
    assert run(trawl, tmp_path, "index", "t").returncode == 0
    damage_unseen(tmp_path / "t", 1 / 2)
    with Screen([str(trawl), "browse", "--at", "event:0", "t"], 100, 40, cwd=tmp_path) as screen:
        assert screen.wait_for(WHOLE, other=DOUBTS), screen.capture()
        for keys, right in zip(KEYS, shown_of_plain):
            assert screen.keys(*keys)[0] == right
        screen.keys("l", "'90000", "Enter")
        assert screen.wait_for("t: is not the trace that its index was built from"), screen.capture()
        assert screen.wait_for("[ended 1]"), screen.capture()


def test_what_is_cut_short(trawl, tmp_path, trace, tmux):
    """A file that ends in damage is browsed up to there, with and without its index."""
    packed = gz(trace)
    (tmp_path / "t").write_bytes(packed[: len(packed) // 2])
    for _ in range(2):
        with Screen([str(trawl), "browse", "--at", "event:0", "t"], 100, 40, cwd=tmp_path) as screen:
            assert screen.wait_for(WHOLE, other=DOUBTS), screen.capture()
            screen.keys("End")
            assert " IT " in screen.capture() or " R " in screen.capture(), screen.capture()
            screen.keys("q")
            assert screen.wait_for("[ended 3]"), screen.capture()


def test_what_is_changed_meanwhile(trawl, tmp_path, trace, tmux):
    """Another file with the same name is not used instead."""
    (tmp_path / "t").write_bytes(gz(trace))
    assert run(trawl, tmp_path, "index", "t").returncode == 0
    with Screen([str(trawl), "browse", "--at", "event:0", "t"], 100, 40, cwd=tmp_path) as screen:
        assert screen.wait_for(WHOLE, other=DOUBTS), screen.capture()
        with (tmp_path / "t").open("r+b") as file:
            file.truncate(20000)
        screen.keys("End")
        assert screen.wait_for("was changed", other="[ended 1]"), screen.capture()


def test_text_is_shown_while_it_is_laid_out(trawl, tmp_path, tmux):
    """Without an index, the beginning of the text is shown at once, and its end when that has been decompressed."""
    text = make_trace(1_000_000)
    last = text.splitlines()[-1].decode().split("\t")[0]
    (tmp_path / "t").write_bytes(repeated(text, 400, 1))
    with Screen([str(trawl), "browse", "--threads", "1", "t"], 160, 40, cwd=tmp_path) as screen:
        seen = screen.wait_for("Only the text") and screen.capture()
        if not seen:
            pytest.skip("the index was built before anything was shown")
        assert seen.splitlines()[0] == text.splitlines()[0].decode().expandtabs(8)[:160].rstrip(), seen
        size = int(re.search(r"of (\d+) ", seen)[1])
        assert size <= 400 * len(text)
        screen.tmux("send-keys", "c")
        assert screen.wait_for("of %d " % (400 * len(text)), TIMEOUT_S), screen.capture()
        screen.keys("End")
        assert last in screen.capture(), screen.capture()
        screen.keys("c")
        assert screen.wait_for(WHOLE, TIMEOUT_S, other=DOUBTS), screen.capture()


@pytest.mark.parametrize("what", ["lines", "zeros"])
def test_bombs(trawl, tmp_path, tmux, what):
    """A file that decompresses to a very large text takes time and disk space, but no more memory than others."""
    line = b"1 clk IT (1) 00010000 e1a00000 A svc_s : NOP\n"
    part = bytes(1 << 20) if what == "zeros" else line * ((1 << 20) // len(line))
    (tmp_path / "t").write_bytes(repeated(part, 400))
    if what == "lines":
        assert run(trawl, tmp_path, "index", "t").returncode == 0
    limit = "unlimited" if {"asan", "tsan"} & set(trawl.parts) else 400000  # sanitizers take memory of their own
    with Screen(["bash", "-c", f'ulimit -d {limit}; exec "$@"', "-", str(trawl), "browse", "--at", "event:0", "--threads", "2", "t"], 100, 40, cwd=tmp_path) as screen:
        if what == "zeros":
            assert screen.wait_for("[ended 1]", TIMEOUT_S) and "no memory" not in screen.capture(), screen.capture()
            return
        assert screen.wait_for(WHOLE, TIMEOUT_S, other=DOUBTS), screen.capture()
        for keys in (["End"], ["/", "'MOV", "Enter"]):
            screen.keys(*keys)
        screen.settle(seconds=TIMEOUT_S)
        assert "Not found: MOV" in screen.capture(), screen.capture()
        screen.keys("q")
        assert screen.wait_for("[ended 0]"), screen.capture()


# --- serve ---------------------------------------------------------------------------------------


def answers(served, last):
    """The answers to some questions."""
    for at in (0, last // 2, last):
        yield served.ask("view", at=at, rows=30)
        yield served.ask("search", what="STR .*sp", at=at, count=3)


def settled(served, last):
    """The same after searches have ended, because their progress may differ."""
    for at in (0, last // 2, last):
        while not served.ask("search", what="STR .*sp", at=at, count=3)[1]["is_done"]:
            pass
    return list(answers(served, last))


def index_and_last(trawl, folder):
    assert run(trawl, folder, "index", "t").returncode == 0
    return int(re.search(rb"(?m)^events +(\d+)$", run(trawl, folder, "info", "t").stdout)[1]) - 1


@pytest.mark.parametrize("kind", ["gz", "zst", "bz2"])
def test_answers_are_those_of_the_plain_trace(trawl, tmp_path, trace, kind):
    if not FORMATS[kind]:
        pytest.skip("its program is not here")
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    for folder, data in ((plain, trace), (packed, FORMATS[kind](trace))):
        folder.mkdir()
        (folder / "t").write_bytes(data)
    last = index_and_last(trawl, plain)
    index_and_last(trawl, packed)
    with Served(trawl, ["t"], cwd=plain) as served:
        right = settled(served, last)
    assert all(status == 200 for status, _ in right), right
    with Served(trawl, ["t"], cwd=packed) as served:
        told = [None] * 6

        def ask(number):
            told[number] = settled(served, last)

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(len(told))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(answer == right for answer in told)
    assert served.status == 0, served.complaints


def test_answers_about_what_is_damaged(trawl, tmp_path, long_trace):
    """The sound part is shown; nothing is made up for the rest."""
    (tmp_path / "t").write_bytes(gz(long_trace))
    last = index_and_last(trawl, tmp_path)
    damage_unseen(tmp_path / "t", 1 / 2)
    with Served(trawl, ["t"], cwd=tmp_path) as served:
        for at in (0, last):
            assert served.ask("view", at=at, rows=30)[0] == 200
        told = [served.ask("view", at=at, rows=30) for at in range(0, last, last // 40)]
        assert {200, 500} == {status for status, _ in told}, told
        assert all("is not the trace that its index was built from" in str(answer) for status, answer in told if status == 500), told
