"""Tests under pytest.

tests/FOLDER/test_NAME.py contains functions, which get the programs from the fixtures below. A function with many claims uses the
fixture `checker`, or another object of that class: it reports each comparison to it, and fails if any has failed. A slow test has
parameters, so that workers share it and each part can run alone by its name.

An item that does not end in ITEM_S has failed, and the others go on.

The unit tests in C and the seeds of the fuzz targets are programs. Each of them, or a part of it, is one item. Its last line is "N
passed, N failed", followed by ", N skipped" if it skipped some, and its status is 0 if nothing failed. An item that prints anything
else, takes too long, or tests nothing has failed.

No test depends on the clock, but some are affected by what runs at the same time: they measure memory or processor time, or stop
programs at random moments. These form one group of xdist, so that they run one after another. The last line is the sum of all claims, "N
passed, N failed"; before it come the processor time and the number of claims of each suite.
"""

import faulthandler
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
FOLDERS = sorted(str(path) for path in TESTS.iterdir() if path.is_dir() and any(path.glob("*.py")))
sys.path[:0] = [*FOLDERS, str(ROOT / "tools"), str(ROOT / "tools" / "tracegen")]

import extent  # noqa: E402
import quick  # noqa: E402
from bounded import run_bounded  # noqa: E402
from checker import Checker  # noqa: E402

os.environ.pop("COLUMNS", None)  # tables would be made to fit (test_fit.py)

TIMEOUT_S = 1800
# For one item, on the slowest machine that is loaded with others: what takes longer hangs. The longest take half a minute alone.
ITEM_S = 900
KILLED_S = 60  # after that, if it waits where Python is not asked
QUICK_BYTES_MIN = 1 << 30
SHOWN_LINES_MAX = 200
REPEATED_LINES_MAX = 5  # for each failed item, repeated at the end
UNIT_PARTS = 4  # to be shared by workers
COUNTS = re.compile(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?")
BEGAN = pytest.StashKey()
PROGRAMS = {TESTS / "unit" / "main.c": "unit", TESTS / "fuzz" / "seeds.c": "seeds"}

SENSITIVE = {"cancel", "costs", "cut", "growing", "install", "interrupted", "kill",
             "max_memory", "sandbox"}  # fmt: skip
MEASURED = {"limits", "memory"}  # of these and the above, the ones that measure
# These mostly wait. They are spread among the others, so that there is always work for the processors.
WAITING = {"browse", "compressed_text", "debug_server", "follow", "follow_files", "panes", "threads"}
# The slowest first, so that no worker is still busy with one of them when the others have finished.
LONGEST = ["unit", "style", "export", "viewers", "lanes", "access_points", "unwind_methods", "faults", "xray_reports", "parquet",
           "compressed", "chunks", "limits", "lies", "index_bytes", "index", "format", "tables", "serve", "memory", "options"]  # fmt: skip


def pytest_addoption(parser):
    parser.addoption("--prefix", type=Path, default=ROOT / "zig-out", metavar="DIR",
                     help="programs in DIR/bin and DIR/tests (default: zig-out)")  # fmt: skip
    parser.addoption("--accept", action="store_true", help="answers that are kept are written anew: review them")
    parser.addoption("--table", action="store_true", help="suites that measure say what they have measured")


def suite_of(path):
    """The name of a suite, from its file."""
    return PROGRAMS.get(path) or path.stem.removeprefix("test_")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    if not extent.IS_THOROUGH:
        items[:] = [item for item in items if not item.get_closest_marker("thorough")]
    order = {name: place for place, name in enumerate(LONGEST)}
    for item in items:
        if suite_of(item.path) in SENSITIVE:
            item.add_marker(pytest.mark.xdist_group("sensitive"))
    items.sort(key=lambda item: (suite_of(item.path) not in SENSITIVE, order.get(suite_of(item.path), len(order))))
    waiting = [item for item in items if suite_of(item.path) in WAITING]
    others = [item for item in items if suite_of(item.path) not in WAITING]
    # Evenly in the first nine tenths of the others, so that none of them is the last.
    places = [(0.9 * number / len(waiting), item) for number, item in enumerate(waiting)]
    places += [(number / len(others), item) for number, item in enumerate(others)]
    items[:] = [item for _, item in sorted(places, key=lambda place: place[0])]


def processor_s():
    """The processor time of this process, of its children that have ended, and of runs of servers."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used) + quick.used_s


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    item.stash[BEGAN] = processor_s()
    if extent.IS_THOROUGH:
        yield
        return
    signal.signal(signal.SIGALRM, lambda *_: pytest.fail(f"no end after {ITEM_S} s"))
    signal.alarm(ITEM_S)
    faulthandler.dump_traceback_later(ITEM_S + KILLED_S, exit=True, file=sys.__stderr__)
    yield
    faulthandler.cancel_dump_traceback_later()
    signal.alarm(0)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item):
    item.user_properties.append(("processor", processor_s() - item.stash[BEGAN]))


@pytest.fixture(autouse=True)
def small_pages(request, monkeypatch):
    """Most commands here take milliseconds, a seventh of which is spent clearing pages of 2 MB. Measurements use large pages."""
    if suite_of(request.path) not in SENSITIVE | MEASURED:
        monkeypatch.setenv("MALLOC_CONF", "thp:default")


@pytest.fixture(scope="session")
def prefix(request):
    """Where the programs are installed."""
    return request.config.getoption("prefix").resolve()


@pytest.fixture(scope="session")
def programs(prefix):
    return prefix / "bin"


@pytest.fixture(scope="session")
def trawl(programs):
    return programs / "trawl"


@pytest.fixture(scope="session")
def library(prefix):
    """The shared library, through ctypes."""
    import libtrawl

    return libtrawl.Library(prefix / "lib" / "libtrawl.so")


@pytest.fixture
def place():
    """A directory that is removed after the test."""
    with tempfile.TemporaryDirectory(prefix="trawl-test-") as name:
        yield Path(name)


@pytest.fixture
def quick_place():
    """Like `place`, but in memory if there is room: for tests that would often wait for the disk."""
    memory = Path("/dev/shm")
    has_room = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > QUICK_BYTES_MIN
    with tempfile.TemporaryDirectory(prefix="trawl-test-", dir=memory if has_room else None) as name:
        yield Path(name)


@pytest.fixture
def accept(request):
    """Whether to rewrite stored answers."""
    return request.config.getoption("accept")


@pytest.fixture
def table(request):
    """Whether to print what was measured."""
    return request.config.getoption("table")


@pytest.fixture
def checker(trawl):
    return Checker(trawl)


class CheckFailed(Exception):
    """The failures that a test program printed, or that were reported to a checker."""


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Calls a test; its checker decides whether it has passed."""
    __tracebackhide__ = True
    pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames})
    for checker in pyfuncitem.funcargs.values():
        if isinstance(checker, Checker):
            judge_checker(pyfuncitem, checker)
    return True


def judge_checker(item, checker):
    note(item, checker.passed, checker.failed, len(checker.skipped), checker.faults)
    item.user_properties.extend(("told", line) for line in [*checker.skipped.values(), *checker.told])
    if checker.failed:
        raise CheckFailed("\n".join(checker.faults[:SHOWN_LINES_MAX]))
    if not checker.passed and not checker.skipped:
        raise CheckFailed("nothing was tested")


def note(item, passed, failed, skipped, faults):
    """Stores the number of checks in the report of an item."""
    item.user_properties.append(("checks", (passed, failed, skipped)))
    item.user_properties.append(("faults", [fault[:400] for fault in faults[:REPEATED_LINES_MAX]]))


def pytest_collect_file(file_path, parent):
    return ProgramFile.from_parent(parent, path=file_path) if file_path in PROGRAMS else None


class ProgramFile(pytest.File):
    def collect(self):
        suite = suite_of(self.path)
        for words in ([f"{part}/{UNIT_PARTS}"] for part in range(1, UNIT_PARTS + 1)) if suite == "unit" else [[]]:
            yield ProgramItem.from_parent(self, name=" ".join([suite, *words]), words=words)


class ProgramItem(pytest.Item):
    def __init__(self, *, words, **how):
        super().__init__(**how)
        self.words = words

    def command(self):
        program = f"trawl-{suite_of(self.path)}"
        return [self.config.getoption("prefix").resolve() / "tests" / program, *self.words]

    def runtest(self):
        passed, failed, skipped, output = judge(self.command())
        lines = output.rstrip("\n").split("\n")
        note(self, passed, failed, skipped, first_failures(lines) if failed else [])
        if failed:
            raise CheckFailed("\n".join(lines[-SHOWN_LINES_MAX:]))
        for line in lines:
            if line.startswith("SKIPPED") or " # SKIP " in line:
                self.user_properties.append(("told", line))
        if passed == 0:
            pytest.skip(lines[0])

    def repr_failure(self, excinfo, style=None):
        return str(excinfo.value) if excinfo.errisinstance(CheckFailed) else super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, None, self.name


def judge(command):
    """Runs a test program. Returns passed, failed, skipped and its output."""
    words = [str(word) for word in command]
    try:
        status, output, _, killed = run_bounded(
            words, TIMEOUT_S, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
    except OSError as error:
        return 0, 1, 0, str(error)
    output = output.decode(errors="replace")
    if killed:
        output += f"\nno end after {TIMEOUT_S} s"
    match = COUNTS.fullmatch(output.rstrip("\n").rpartition("\n")[2])
    if not match:
        return 0, 1, 0, output + f"\nends without a count, with status {status}"
    passed, failed, skipped = (int(count or 0) for count in match.groups())
    if passed + failed + skipped == 0:
        return 0, 1, 0, output + "\nnothing was tested"
    if failed == 0 and status != 0:
        return passed, 1, skipped, output + f"\nall passed, but it ended with status {status}"
    return passed, failed, skipped, output


def first_failures(lines):
    """The first failures: the lines that report them, or else the last line."""
    return [line for line in lines if line.startswith(("FAIL", "not ok "))] or lines[-1:]


def pytest_sessionfinish():
    quick.end_servers()


class Sum:
    """Adds up the checks of all reports, in the process that collects them."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.took, self.processor, self.claims, self.faults, self.notes, self.failed_suites = {}, {}, {}, [], [], []

    def pytest_runtest_logreport(self, report):
        suite = suite_of(ROOT / report.nodeid.partition("::")[0])
        self.took[suite] = self.took.get(suite, 0) + report.duration
        said = dict(report.user_properties)
        if report.when == "teardown":
            self.processor[suite] = self.processor.get(suite, 0) + said.get("processor", 0)
        if report.when != "call" and report.passed:
            return
        passed, failed, skipped = said.get("checks", (report.passed, report.failed, report.skipped))
        failed = max(failed, report.failed)
        self.claims[suite] = self.claims.get(suite, 0) + passed + failed
        self.passed, self.failed, self.skipped = self.passed + passed, self.failed + failed, self.skipped + skipped
        self.notes += [f"{suite}: {line}" for key, line in report.user_properties if key == "told"]
        if report.skipped and isinstance(report.longrepr, tuple):
            self.notes.append(f"{suite}: {report.longrepr[2]}")
        if report.failed:
            self.failed_suites += [suite] if suite not in self.failed_suites else []
            faults = said.get("faults") or [str(report.longreprtext).rstrip().rpartition("\n")[2][:400]]
            self.faults += [f"{report.nodeid}: {fault}" for fault in faults]

    def pytest_collectreport(self, report):
        if report.failed and report.nodeid not in self.failed_suites:  # every worker reports it
            self.failed += 1
            self.failed_suites.append(report.nodeid)
            self.faults.append(f"{report.nodeid}: cannot be read")

    def pytest_unconfigure(self, config):
        """Runs after pytest's own output."""
        if config.getoption("collectonly") or config.getoption("help"):
            return
        print(f"processor, elapsed, claims: {sum(self.processor.values()):.0f} s, {sum(self.took.values()):.0f} s")
        for suite, used_s in sorted(self.processor.items(), key=lambda pair: -pair[1]):
            print(f"{used_s:8.2f} s {self.took[suite]:8.2f} s {self.claims.get(suite, 0):7}  {suite}")
        print("".join(f"{line}\n" for line in dict.fromkeys(self.notes)), end="")
        if self.failed_suites:
            print("failed suites: " + ", ".join(self.failed_suites))
            print("\n".join(self.faults))
        print(f"{self.passed} passed, {self.failed} failed", flush=True)


def pytest_configure(config):
    # Whoever starts the tests in the background ignores these, and so would the programs, which are to be interrupted.
    for number in signal.SIGINT, signal.SIGQUIT:
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    quick.use(config.getoption("prefix").resolve() / "tests" / "libfork_server.so")
    config.addinivalue_line("markers", "xdist_group(name): what runs one after another, on one worker")
    config.addinivalue_line("markers", "thorough: what only --thorough runs, as it takes minutes")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Sum(), "sum")
