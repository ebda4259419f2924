"""What documents show in blocks is run, or the line before the block says why not.

    tests/run.py documents [--accept]

```console    a session: each command after a $ is run, and its output is compared with the lines after it. Those of one document run in
              one shell, in their own folder, in which corpus and zig-out are the real ones. --accept writes the output to the document:
              review the changes.
```sh         commands, which must be valid, as must the examples in helps and manual pages.
<!-- run by SUITE -->, <!-- not run: REASON -->    before any other block.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(str(path.relative_to(ROOT)) for folder in (".", "docs", "idx", "tests", "corpus", "bench", "simd", "src") for path in (ROOT / folder).glob("*.md" if folder == "." else "**/*.md"))
TIMEOUT_S = 120
SESSION = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
# The line before a block, its language, and what is in it.
BLOCK = re.compile(r"^([^\n]*)\n```(\w*)\n(.*?)^```$", re.M | re.S)


def commands_of(session):
    """The commands of a session, each with the lines that follow it."""
    commands = []
    for line in session.splitlines(keepends=True):
        if line.startswith("$ "):
            commands.append([line[2:], ""])
        else:
            commands[-1][1] += line
    return commands


def run_all(commands, prefix):
    """The output of each command, standard error after standard output."""
    mark = "=== end of a command ==="
    with tempfile.TemporaryDirectory(prefix="documents-check-") as name:
        folder = Path(name) / "here"
        folder.mkdir()
        script = "".join(f"{{ {command.rstrip()}\n}} 2>{name}/errors\ncat {name}/errors\necho '{mark}'\n" for command in commands)
        (folder / "corpus").symlink_to(ROOT / "corpus")
        (folder / "zig-out").symlink_to(prefix)
        done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S,
                              check=False, env={**os.environ, "PATH": f"{prefix / 'bin'}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"})
    assert not done.stderr, done.stderr
    return done.stdout.split(f"{mark}\n")[:-1]


# The files in examples, and the files that they are copies of; and those that mean something else in one document.
EXAMPLE_FILES = {
    "traces/corrupt-a64.it.tarmac": ["run.tarmac", "hung.tarmac", "good.tarmac", "bad.tarmac", "nightly/run.tarmac", "good.0", "good.1", "bad.0", "bad.1", "old.tarmac", "new.tarmac"],
    "typed/corrupt-a64.elf": ["prog.elf", "old.elf", "new.elf"],
    "sframe/stacks-x86_64-v3.elf": ["libfast.so"],
    "xray/threads.elf": ["prog", "server"],
    "xray/threads.fdr.xray": ["xray-log.prog.123", "xray-log.server.x", "before.xray", "after.xray"],
    "tfile/walk.elf": ["walk"],
    "tfile/full.tf": ["run.tf", "trace.tf"],
}
FILES_OF_DOCUMENTS = {
    "docs/diff.md": {"traces/twocores-a64.it.tarmac": [f"{run}-cpu{core}.tarmac" for run in ("good", "bad") for core in (0, 1)]},
    "docs/os.md": {"os/jobs.elf": ["kernel.elf"], "os/jobs.tarmac.xz": ["run.tarmac"]},
    "docs/riscv.md": {"riscv/ibex-hello.ibex.log.xz": ["trace_core_00000000.log", "trace_core_00000001.log"], "riscv/hello64.both.log.xz": ["spike.log"],
                      "riscv/hello64.l.log.xz": ["trace_rvfi_hart_00.dasm", "trace_rvfi_hart_01.dasm"]},
}


def examples(trawl):
    """The examples of every command and of the written manual pages."""
    listed = subprocess.run([trawl, "manual", "--list"], capture_output=True, text=True, check=True, timeout=TIMEOUT_S)
    for line in listed.stdout.splitlines():
        page, *words = line.split(" ")
        if page.startswith("trawl-"):
            said = subprocess.run([trawl, *words, "--help"], capture_output=True, text=True, check=True, timeout=TIMEOUT_S)
            section = said.stdout.partition("\nexamples:\n")[2].partition("\nalso:\n")[0]
            yield from (line.strip() for line in section.splitlines() if line.startswith("    trawl "))
    for page in sorted((ROOT / "docs" / "man").iterdir()):
        for match in re.finditer(r"^\.Bd -literal.*?$(.*?)^\.Ed", page.read_text(), re.M | re.S):
            yield from (line.replace("\\-", "-") for line in match[1].split("\n") if line.startswith("trawl "))


def commands_in(text):
    """The commands of a block, without what their output is piped to, nor those that wait for a user."""
    for line in text.replace("\\\n", "").splitlines():
        command = line.partition(" | ")[0] if "'" not in line else line.partition("' | ")[0]
        if command and not command.startswith(("trawl browse", "trawl serve", "trawl gdb", "gdb-multiarch", "trawl mcp")):
            yield command


def check_commands(checker, prefix, commands, more_files=None):
    """Each command has the words that its program knows; it may find nothing."""
    with tempfile.TemporaryDirectory(prefix="documents-check-") as name:
        folder = Path(name)
        for source, copies in [*EXAMPLE_FILES.items(), *(more_files or {}).items()]:
            for copy in copies:
                (folder / copy).parent.mkdir(exist_ok=True)
                shutil.copy(ROOT / "corpus" / source, folder / copy)
        (folder / "pcs.txt").write_text("0x401136\n")
        (folder / "corpus").symlink_to(ROOT / "corpus")
        environment = {**os.environ, "PATH": f"{prefix / 'bin'}:{os.environ['PATH']}", "HOME": name}
        for command in commands:
            done = subprocess.run(["bash", "-c", re.sub(r"/(data|shared)\b", rf"{name}/\1", command)], cwd=folder, capture_output=True, text=True,
                                  timeout=TIMEOUT_S, check=False, stdin=subprocess.DEVNULL, env=environment)
            checker.check(command, done.returncode in (0, 1, 3) and "--help'" not in done.stderr, (done.returncode, done.stderr))


def test_examples(checker, prefix):
    check_commands(checker, prefix, [command for line in examples(prefix / "bin" / "trawl") for command in commands_in(line)])


@pytest.mark.parametrize("document", DOCUMENTS)
def test_blocks(checker, prefix, document):
    """Each block is a session, or commands, or says that another suite runs it, or why nothing does."""
    text = (ROOT / document).read_text()
    blocks = [match.groups() for match in BLOCK.finditer(text)]
    checker.expect("blocks are found", 2 * len(blocks), len(re.findall(r"^\s*```", text, re.M)))
    commands = []
    for before, language, block in blocks:
        mark = re.fullmatch(r"<!-- (?:run by (\w+)|not run: \S.*) -->", before)
        checker.check(f"marked, or run: {block[:60]}", mark or language in ("console", "sh"), before)
        if mark and mark[1]:
            suite = next((ROOT / "tests").glob(f"*/test_{mark[1]}.py"), None)
            checker.check(f"{mark[1]} reads it", suite and re.search(re.escape(Path(document).name), suite.read_text()))
        if language == "sh" and not mark:
            commands += commands_in(block)
    check_commands(checker, prefix, commands, FILES_OF_DOCUMENTS.get(document))


@pytest.mark.parametrize("document", [name for name in DOCUMENTS if SESSION.search((ROOT / name).read_text())])
def test_sessions(checker, prefix, accept, document):
    path = ROOT / document
    text = path.read_text()
    sessions = [commands_of(match[1]) for match in SESSION.finditer(text)]
    commands = [command for session in sessions for command in session]
    said = run_all([command for command, _ in commands], prefix)
    assert len(said) == len(commands), f"{document}: ended early, after {said[-1:]}"
    for (command, expected), found in zip(commands, said):
        checker.check(f"$ {command}", found == expected or accept, f"says\n{found}instead of\n{expected}")
    if accept:
        answers = iter(said)
        path.write_text(SESSION.sub(
            lambda match: "```console\n" + "".join(f"$ {command}{next(answers)}" for command, _ in commands_of(match[1]))
            + "```", text))


def test_released(checker):
    """Links of the documents in packages and archives lead to others of them."""
    sys.path.insert(0, str(ROOT / "tools" / "release"))
    import common

    found = dict(common.documents())
    for name, path in found.items():
        links = re.findall(r"\]\(([^)#]+)", path.read_text()) if name.endswith(".md") else []
        for link in links:
            target = os.path.normpath(os.path.join(os.path.dirname(name), link))
            checker.check(f"{name}: {link}", "://" in link or target in found)
    checker.check("the README leads somewhere", len(found) > 10)


def test_named_files(checker):
    """Sources that documents and comments of tests name are there, and tests cite no document that is not."""
    parts = [ROOT, *(ROOT / part for part in ("src", "corpus", "corpus/tfile"))]
    documents = [*ROOT.glob("*.md"), *(path for part in ("docs", "idx", "tests", "corpus", "bench", "simd") for path in (ROOT / part).rglob("*.md"))]
    for document in documents:
        if document.name == "CHANGELOG.md":  # of what was
            continue
        for name in sorted(set(re.findall(r"`([a-z_]+/[\w/.-]+\.(?:[chS]|py|js|md|inc))`", document.read_text()))):
            is_pattern = name == "tests/FOLDER/test_NAME.py"
            checker.check(f"{document.relative_to(ROOT)}: {name}", is_pattern or any((part / name).exists() for part in parts))
    for path in sorted([*(ROOT / "tests" / "unit").glob("*.[ch]"), *(ROOT / "src").rglob("*.[ch]")]):
        cited = re.findall(r"[Ss]ection [\d.]+ of the specification|rule of section \d", path.read_text())
        checker.check(f"{path.relative_to(ROOT)}: cites {cited}", not cited)


# British spellings, as beginnings of words. Names are what they are: in backticks, and those that the browser also has as it was first.
NAMES = r"`[^`\n]*`|\\-colour|colour no\b"
BRITISH = ("analys(?:e|ed|es|ing)\\b", "artefact", "behaviour", "cancelled", "catalogue", "centre", "colour", "defence", "favour", "fulfil\\b", "grey", "honour",
           "labell", "learnt", "licence", "modell(?:ed|ing)", "neighbour", "practis", "programme\\b", "signall", "spelt", "travell", "whilst",
           "(?:organ|optim|initial|recogn|synchron|normal|serial|summar|minim|maxim|util|visual|character|special|general)is(?:e|ed|es|ing|ation|ations)\\b")


# Of the reference, under whose names they are said; words of formats and options that are read.
AS_IT_WAS = {"unrecognised option name", "Unrecognised token", "unrecognised parenthesised keyword", "use colour in the terminal", "don't use colour in the terminal",
             "colour", "colour,color", "no-colour,no-color", "grey"}  # fmt: skip


def test_spelling_of_messages(checker):
    """American spelling in all texts of the program."""
    for path in sorted([*(ROOT / "src").rglob("*.c"), *(ROOT / "src").rglob("*.h"), *(ROOT / "idx").rglob("*.c")]):
        code = re.sub(r"#include .*|//.*", "", path.read_text())
        texts = set(re.findall(r'"((?:[^"\\\n]|\\.)*)"', code)) - AS_IT_WAS
        found = [text for text in texts if re.search(r"\b(?:%s)\w*" % "|".join(BRITISH), re.sub(NAMES, "", text), re.I)]
        checker.check(f"{path.relative_to(ROOT)}: {found}", not found)


def test_spelling(checker, trawl):
    """American spelling in documents, and in helps and manual pages, which have one source."""
    texts = {str(path.relative_to(ROOT)): path.read_text() for folder in (ROOT, ROOT / "docs", ROOT / "docs/roles", ROOT / "docs/man", ROOT / "idx")
             for path in folder.iterdir() if path.is_file() and (path.suffix == ".md" or path.parent.name == "man") and path.name != "CHANGELOG.md"}
    listed = subprocess.run([trawl, "manual", "--list"], capture_output=True, text=True, check=True, timeout=TIMEOUT_S)
    for words in {tuple(line.split(" ")[1:]) for line in listed.stdout.splitlines() if line.startswith("trawl-")}:
        texts["trawl manual " + " ".join(words)] = subprocess.run([trawl, "manual", *words], capture_output=True, text=True, check=True, timeout=TIMEOUT_S).stdout
    for name, text in texts.items():
        found = re.findall(r"\b(?:%s)\w*" % "|".join(BRITISH), re.sub(NAMES, "", text), re.I)
        checker.check(f"{name}: {sorted(set(found))}", not found)
    checker.check("documents and manual pages", len(texts) > 60)
