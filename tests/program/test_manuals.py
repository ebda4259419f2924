"""The manual pages and completions match the help, and are accepted by their programs: mandoc, bash, zsh and fish.

    tests/run.py manuals

Programs that the machine lacks are skipped by name.
"""

import os
import pty
import re
import select
import shutil
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 60
# What is typed, and which completions must and must not be offered.
TYPED = [
    ("trawl prof", ["profile"], ["writes"]),
    ("trawl xray acc", ["account"], ["graph"]),
    ("trawl profile --sor", ["--sort"], ["--sortorder"]),
    ("trawl xray account --sor", ["--sort", "--sortorder"], ["--top"]),
    ("trawl tfile ser", ["series"], ["show"]),
    ("tarmac-profile --ind", ["--index"], ["--top"]),
    ("trawl profile run.tar", ["run.tarmac"], ["--sort"]),
]


def output_of(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, timeout=TIMEOUT_S, check=False, **more)
    assert done.returncode == 0, "%s: status %d: %s" % (words[-1], done.returncode, done.stderr[-400:])
    return done.stdout.decode()


def pages(trawl):
    """The pages as (name, words of the command)."""
    yield "trawl", []
    for line in output_of(trawl, "manual", "--list").splitlines():
        name, *words = line.split(" ")
        yield name, words


def check_lint(text, name):
    """mandoc reports only that our pages are not installed."""
    done = subprocess.run(["mandoc", "-Tlint"], input=text.encode(), capture_output=True, timeout=TIMEOUT_S, check=False)
    said = [line for line in done.stdout.decode().splitlines() if "referenced manual not found: Xr trawl" not in line]
    assert not said, "%s: %s" % (name, said[0])


def options_of(text):
    """The long options that a help lists, each at the start of its line."""
    entries = re.findall(r"^    ((?:-\w, )?--\S+(?:, --\S+)*)", text.split("\nalso:\n")[0], re.M)
    return {option for entry in entries for option in re.findall(r"--([\w-]+)", entry)}


def check_page(trawl, name, words, has_mandoc):
    text = output_of(trawl, "manual", *words)
    if has_mandoc:
        check_lint(text, name)
    is_family = not words or re.search(r"^\.It Xr trawl-", text, re.M)
    if is_family:
        listed = set(re.findall(r"^\.It Xr ([\w-]+) 1$", text, re.M))
        listing = output_of(trawl, *words, "--help").split("exit status:")[0]
        commands = [line.split()[-1] for line in re.findall(r"^    (\w.*?)(?:  .*)?$", listing, re.M)]
        assert commands, "the help of %s lists nothing" % name
        assert listed == {"-".join(["trawl", *words, command]) for command in commands}, listed
        return
    is_ours = not name.startswith("tarmac-")
    help_text = output_of(trawl, "help", "options", *words) if is_ours else output_of(trawl.parent / name, "--help")
    wanted = options_of(help_text)
    found = {option.replace("\\-", "-") for option in re.findall(r"Fl \\-([\w\\-]+)", text)}
    assert wanted - {"help"} <= found, "not in the page of %s: %s" % (name, sorted(wanted - found))


def test_help(checker, trawl):
    """A help explains each option of its command or names it, and `help options` explains what is only named."""
    common = options_of(output_of(trawl, "help", "options"))
    for name, words in pages(trawl):
        said = output_of(trawl, "help", *words)
        if not name.startswith("tarmac-"):
            checker.check(f"{name}: fits a terminal", max(map(len, said.partition("\nexamples:\n")[0].split("\n"))) < 80, said)
        if not words or name.startswith("tarmac-") or "\nexit status:\n" in said:
            continue
        complete = output_of(trawl, "help", "options", *words)
        before, mark, after = said.partition("\nmore options (")
        named = set(re.findall(r"--([\w-]+)", after.partition("\npositional arguments:")[0].partition(":\n")[2])) if mark else set()
        checker.check(f"{name}: all are there", options_of(said.replace(after, "")) | named == options_of(complete) - {"help"}, (named, said))
        checker.check(f"{name}: those that are named are explained", named <= common, named - common)
        checker.check(f"{name}: --help", output_of(trawl, *words, "--help") == said)
    overview = output_of(trawl, "help")
    listed = re.findall(r"^    ([a-z]+)  ", overview.partition("\nexit status:\n")[0], re.M)
    checker.check("each command has one place", len(listed) == len(set(listed)) > 30, listed)
    purposes = re.split(r"^[a-z, ]+:\n", overview.partition("\nexit status:\n")[0], flags=re.M)[1:]
    checker.check("each purpose has one example", all(part.count("\n    $ trawl ") == 1 for part in purposes) and len(purposes) > 5, purposes)


def bash_offers(script, typed, directory, _):
    """What bash would show, by calling the same function."""
    words = re.findall(r"\S+", typed)
    call = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _trawl 2>&-; printf "%s\\n" "${COMPREPLY[@]}"'
    return output_of("bash", "-c", call, "bash", script, *words, cwd=directory)


def fish_offers(script, typed, directory, _):
    return output_of("fish", "--no-config", "-c", 'source "$argv[1]"; complete -C"$argv[2]"', str(script), typed,
                     cwd=directory)


def read_until(terminal, mark, seconds):
    """The output up to `mark`, or within a number of seconds."""
    text, end = "", time.monotonic() + seconds
    while mark not in text and time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            text += os.read(terminal, 65536).decode(errors="replace")
    return text


def zsh_offers(script, typed, directory, awaited):
    """What zsh shows on a terminal, where its completion works."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(directory)
        os.environ.update(TERM="xterm", HOME=str(directory), COLUMNS="200")
        os.execvp("zsh", ["zsh", "-f", "-i"])
    try:
        setup = ("PS1=; unsetopt zle_bracketed_paste 2>&-; fpath=(%s $fpath); autoload -U compinit; compinit -u -D; "
                 "setopt list_ambiguous no_beep no_list_beep; LISTMAX=0; "
                 "bindkey '^I' list-choices; print rea''dy\n" % script.parent)
        os.write(terminal, setup.encode())
        assert "ready" in read_until(terminal, "ready\r", TIMEOUT_S), "zsh does not start"
        # Further input would prevent the list of completions.
        os.write(terminal, typed.encode() + b"\t")
        shown = read_until(terminal, awaited, TIMEOUT_S) + read_until(terminal, "\0", 0.3)
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", " ", shown)
    finally:
        os.close(terminal)
        os.waitpid(child, 0)


SHELLS = {"bash": bash_offers, "fish": fish_offers, "zsh": zsh_offers}


def is_offered(word, offers):
    return re.search(r"(?<![\w-])%s(?![\w-])" % re.escape(word), offers) is not None


def check_shell(trawl, shell, directory):
    script = directory / shell / "_trawl"
    script.parent.mkdir()
    script.write_text(output_of(trawl, "completion", shell))
    for typed, wanted, unwanted in TYPED:
        offers = SHELLS[shell](script, typed, directory, wanted[-1])
        for word in wanted:
            assert is_offered(word, offers), "%s: %r offers no %s: %r" % (shell, typed, word, offers[-300:])
        for word in unwanted:
            assert not is_offered(word, offers), "%s: %r offers %s: %r" % (shell, typed, word, offers[-300:])


def test_version(trawl):
    number = re.search(r'\.version = "([^"]+)"', (ROOT / "build.zig.zon").read_text()).group(1)
    assert output_of(trawl, "--version") == "trawl %s\n" % number
    assert "trawl %s" % number in output_of(trawl, "manual")
    assert "/trawl:%s\n" % number in (ROOT / "docs/farm.md").read_text(), "docs/farm.md names the image of another version"


def test_changelog(trawl):
    """The newest numbered version of the changelog is this one, with the date that the manual has. Changes after it are above, as Unreleased."""
    heads = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    newest = heads[1] if heads[0] == "Unreleased" else heads[0]
    number = re.search(r'\.version = "([^"]+)"', (ROOT / "build.zig.zon").read_text()).group(1)
    date = time.strptime(re.search(r"^\.Dd (.+)$", output_of(trawl, "manual"), re.M).group(1), "%B %d, %Y")
    assert newest == "%s (%s)" % (number, time.strftime("%Y-%m-%d", date))


def test_index_version():
    """What the document and the manual page of the index say its version is, trawl writes."""
    source = (ROOT / "idx/index_format.h").read_text()
    major, minor = (re.search(r"^#define INDEX_%s (\d+)" % name, source, re.M).group(1) for name in ("MAJOR", "MINOR"))
    text = (ROOT / "idx/FORMAT.md").read_text()
    assert text.startswith("# The index file, version %s.%s\n" % (major, minor))
    assert "| major version: %s |" % major in text and "| minor version: %s |" % minor in text
    assert re.findall(r"^\| (\d+\.\d+) \| [\d.]+ \|", text, re.M)[-1] == "%s.%s" % (major, minor), "the versions end with another"
    assert "The current version is %s.%s.\n" % (major, minor) in (ROOT / "docs/man/trawl-index.5").read_text()


def test_refusals(trawl):
    for words, said in ((["completion", "tcsh"], "tcsh"), (["completion"], "missing"), (["manual", "profil"], "profile"),
                        (["manual", "profile", "x"], "not a family"), (["manual", "xray", "nosuch"], "nosuch")):
        done = subprocess.run([trawl, *words], capture_output=True, timeout=TIMEOUT_S, check=False)
        assert done.returncode == 2 and not done.stdout and said in done.stderr.decode(), (words, done)


COLUMN = re.compile(r'\{"[^"]*",\s*"([a-z_0-9]+)",\s*COLUMN_(U64|LINE|TICKS|SECONDS|SHARE|CHANGE|CHANGE_SHARE)[,}]')
UNIT = {"TICKS": "Ticks", "SECONDS": "Seconds", "SHARE": "Shares", "CHANGE": "Ticks", "CHANGE_SHARE": "Shares"}


def test_units():
    """trawl-formats(7) states the unit of every numeric column of all reports."""
    kinds = {column for source in (ROOT / "src").rglob("*.c") for column in COLUMN.findall(source.read_text())}
    columns = {key for key, _ in kinds}
    assert len(columns) > 40, columns
    units = (ROOT / "docs/man/trawl-formats.7").read_text().split(".Sh UNITS\n")[1].split(".Sh ")[0]
    told = re.findall(r"^\.Ql ([a-z_0-9]+)", units, re.M)
    assert len(told) == len(set(told)), "told twice: %s" % sorted(told)
    assert columns <= set(told), "no unit of %s" % sorted(columns - set(told))
    parts = dict(part.split("\n", 1) for part in units.split(".It ")[1:])
    for key, kind in kinds:
        assert kind not in UNIT or re.search(r"^\.Ql %s\b" % key, parts[UNIT[kind]], re.M), (key, kind)


def test_pages(checker, trawl):
    has_mandoc = shutil.which("mandoc") is not None
    for name, words in pages(trawl):
        check_page(trawl, name, words, has_mandoc)
        checker.check(name, True)


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "man").iterdir()), ids=lambda path: path.name)
def test_written_page(path):
    if not shutil.which("mandoc"):
        pytest.skip("no mandoc")
    check_lint(path.read_text(), path.name)


@pytest.mark.parametrize("shell", SHELLS)
def test_shell(trawl, place, shell):
    if not shutil.which(shell):
        pytest.skip("no " + shell)
    (place / "run.tarmac").write_text("")
    check_shell(trawl, shell, place)
