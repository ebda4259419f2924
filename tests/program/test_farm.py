"""Plans of farms, and their tasks, without a scheduler: using the variables in which each scheduler passes a task's number."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import quick

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
TIMEOUT_S = 120
SCHEDULERS = {"SLURM_ARRAY_TASK_ID": 1, "LSB_JOBINDEX": 1, "SGE_TASK_ID": 1, "PBS_ARRAY_INDEX": 1, "PBS_ARRAYID": 1,
              "JOB_COMPLETION_INDEX": 0, "AWS_BATCH_JOB_ARRAY_INDEX": 0}  # fmt: skip


def run(trawl, place, *words, **variables):
    environment = {name: value for name, value in os.environ.items() if name not in SCHEDULERS} | variables
    done = quick.run([trawl, *map(str, words)], place, environment, text=True, timeout=TIMEOUT_S)
    return done.returncode, done.stdout, done.stderr


def traces(place):
    (place / "t").mkdir()
    shutil.copy(CORPUS / "traces" / "sort-a64.it.tarmac", place / "t" / "a b.tarmac")
    shutil.copy(CORPUS / "traces" / "cut-a64.it.tarmac", place / "t" / "new\nline\\.tarmac")
    shutil.copy(CORPUS / "xray" / "recursion.fdr.xray", place / "t" / "log.xray")


def wholes(trawl, place, *options):
    found = {}
    for trace in sorted((place / "t").iterdir()):
        run(trawl, place, "index", "-q", "--force-index", "--index", place / "whole", *options, trace)
        found[trace.name] = (place / "whole").read_bytes()
    return found


@pytest.mark.parametrize(("variable", "first"), SCHEDULERS.items())
def test_schedulers(trawl, checker, place, variable, first):
    traces(place)
    wanted = wholes(trawl, place)
    status, out, err = run(trawl, place, "farm", "plan", "--shards", 3, "--threads", 1, "--output-dir", "out", "t")
    checker.check("plan", (status, out) == (0, "7 tasks, 3 merges\n"), (out, err))
    status, _, err = run(trawl, place, "farm", "merge", "trawl-farm")
    checker.check("nothing to merge yet", status == 1 and err.count("No such file") == 3, err)
    for number in reversed(range(7)):
        status, _, err = run(trawl, place, "farm", "task", "trawl-farm", **{variable: str(number + first)})
        checker.check(f"task {number}", status == 0, err)
    status, _, err = run(trawl, place, "farm", "task", "trawl-farm", **{variable: str(7 + first)})
    checker.check("no further task", status == 1 and "the plan has only 7" in err, err)
    status, _, err = run(trawl, place, "farm", "task", "trawl-farm", **{variable: str(first)})
    checker.check("again", status == 0 and "is there already" in err, err)
    status, _, err = run(trawl, place, "farm", "merge", "trawl-farm")
    checker.check("merge", status == 0 and not err, err)
    for name, index in wanted.items():
        checker.check(name, (place / "out" / f"{name}.index").read_bytes() == index)


def test_surveys(trawl, checker, place):
    """Tasks after an array of surveys read their pieces alone, and those of a trace that was changed since then do not use them."""
    traces(place)
    wanted = wholes(trawl, place)
    run(trawl, place, "farm", "plan", "--shards", 3, "--dir", "a [farm]*", "t")
    for number in (1, 2, 3, 4, 5, 6, 7):
        status, _, err = run(trawl, place, "farm", "task", "--survey", "--task", number, "a [farm]*")
        checker.check(f"survey {number}", status == 0, err)
    surveys = place / "a [farm]*" / "surveys"
    checker.check("those that tasks need", sorted(path.name for path in surveys.iterdir()) == ["1.1", "1.2", "3.1", "3.2"], list(surveys.iterdir()))
    status, _, err = run(trawl, place, "farm", "task", "--survey", "--task", 1, "a [farm]*")
    checker.check("again", status == 0 and "is there already" in err, err)
    damaged = surveys / "3.1"
    damaged.write_bytes(damaged.read_bytes()[:-40] + bytes(40))
    for number in (7, 6, 5, 4, 3, 2, 1):
        status, _, err = run(trawl, place, "farm", "task", "--task", number, "a [farm]*")
        checker.check(f"task {number}", status == 0 and "warning" not in err, err)
    checker.check("merge", run(trawl, place, "farm", "merge", "a [farm]*")[0] == 0)
    for name, index in wanted.items():
        checker.check(name, (place / "t" / f"{name}.index").read_bytes() == index)
    trace = place / "t" / "a b.tarmac"
    shutil.copy(CORPUS / "traces" / "recursion-a64.es.tarmac", trace)
    wanted = wholes(trawl, place)
    for number in (1, 2, 3):
        status, _, err = run(trawl, place, "farm", "task", "--task", number, "a [farm]*")
        checker.check(f"changed, task {number}", status == 0 and "warning" not in err, err)
    checker.check("changed, merge", run(trawl, place, "farm", "merge", "a [farm]*")[0] == 0)
    checker.check("changed", (place / "t" / "a b.tarmac.index").read_bytes() == wanted["a b.tarmac"])
    run(trawl, place, "farm", "plan", "--shards", 2, "--dir", "a [farm]*", "t")
    checker.check("another plan", not list(surveys.iterdir()))


def test_numbers(trawl, checker, place):
    traces(place)
    run(trawl, place, "farm", "plan", "--shards", 3, "--dir", "farm", "t/a b.tarmac")
    for words, variables, wanted in (
        ([], {}, "no task number"), ([], {"SGE_TASK_ID": "undefined"}, "no task number"), ([], {"LSB_JOBINDEX": "0"}, "no task number"),
        ([], {"SLURM_ARRAY_TASK_ID": "x"}, "no task number"), (["--first", 5], {"SLURM_ARRAY_TASK_ID": "4"}, "before --first 5"),
        (["--task", 4], {}, "the plan has only 3"), (["--each", 2, "--task", 3], {}, "the plan has only 2"),
    ):  # fmt: skip
        status, _, err = run(trawl, place, "farm", "task", *words, "farm", **variables)
        checker.check(f"{words} {variables}", status == 1 and wanted in err and err.count("\n") == 1, err)
    for words in (["--task", "0"], ["--task", "-1"], ["--each", "0"], ["--first", "x"]):
        checker.check(f"{words}", run(trawl, place, "farm", "task", *words, "farm")[0] == 2)
    checker.check("--first", run(trawl, place, "farm", "task", "--first", 0, "farm", SLURM_ARRAY_TASK_ID="0")[0] == 0)
    parts = place / "farm" / "parts"
    checker.check("the first", [path.name for path in parts.iterdir()] == ["1.1"])
    checker.check("two in a row", run(trawl, place, "farm", "task", "--each", 2, "--task", 2, "farm")[0] == 0)
    checker.check("those", sorted(path.name for path in parts.iterdir()) == ["1.1", "1.3"], list(parts.iterdir()))


def test_changes(trawl, checker, place):
    """The part for a changed trace is made again, and one of another plan is removed."""
    traces(place)
    trace = place / "t" / "a b.tarmac"
    plan = ["farm", "plan", "--shards", 2, "--dir", "farm", trace]
    run(trawl, place, *plan)
    for number in (1, 2):
        run(trawl, place, "farm", "task", "--task", number, "farm")
    run(trawl, place, *plan)
    checker.check("the same plan keeps parts", len(list((place / "farm" / "parts").iterdir())) == 2)
    shutil.copy(CORPUS / "traces" / "recursion-a64.es.tarmac", trace)
    run(trawl, place, "farm", "task", "--task", 2, "farm")
    status, _, err = run(trawl, place, "farm", "merge", "farm")
    checker.check("one of the old trace", status == 1 and "built from another trace" in err, err)
    status, _, err = run(trawl, place, "farm", "task", "--task", 1, "farm")
    checker.check("is made again", status == 0 and "already" not in err, err)
    checker.check("and merges", run(trawl, place, "farm", "merge", "farm")[0] == 0)
    os.utime(trace, ns=(trace.stat().st_atime_ns, trace.stat().st_mtime_ns - 10**10))
    status, _, err = run(trawl, place, "farm", "merge", "farm")
    checker.check("all parts of what was there before", status == 1 and err.count("\n") == 1 and "run its tasks again" in err, err)
    run(trawl, place, "farm", "plan", "--bi", *plan[2:])
    checker.check("another plan", not list((place / "farm" / "parts").iterdir()))
    (place / "farm" / "plan").write_text("trawl farm plan 1\ntrace 70000000 /x\nindex /y\n")
    for text in ("trawl farm plan 1\ntrace 70000000 /x\nindex /y\n", "trawl farm plan 2\n", "", "trawl farm plan 1\n", "trawl farm plan 1\ntrace 2 /x\n",
                 "trawl farm plan 1\nindex /y\n", "trawl farm plan 1\ntrace 2 x\nindex y\n", "trawl farm plan 1\ntrace 2 /x\\q\nindex /y\n",
                 "trawl farm plan 1\ntrace 2 /" + "x" * 20000 + "\nindex /y\n", "trawl farm plan 1\noption\n", "\0" * 100):  # fmt: skip
        (place / "farm" / "plan").write_text(text)
        status, _, err = run(trawl, place, "farm", "task", "--task", 1, "farm")
        checker.check(f"plan {text[:60]!r}", status == 1 and err.count("\n") == 1, err)


def test_old_index(trawl, checker, place):
    """An index that is older than the last change of its trace does not count as the result of the task."""
    traces(place)
    log = place / "t" / "log.xray"
    run(trawl, place, "farm", "plan", "--dir", "farm", log)
    checker.check("task", run(trawl, place, "farm", "task", "--task", 1, "farm")[0] == 0)
    checker.check("merge", run(trawl, place, "farm", "merge", "farm")[0] == 0)
    shutil.copy(CORPUS / "xray" / "recursion.basic.xray", log)
    os.utime(log, ns=(10**18, 10**18))
    status, _, err = run(trawl, place, "farm", "merge", "farm")
    checker.check("of another trace", status == 1 and err.count("\n") == 1 and "run its tasks again" in err, err)
    checker.check("task again", run(trawl, place, "farm", "task", "--task", 1, "farm")[0] == 0)
    checker.check("merge again", run(trawl, place, "farm", "merge", "farm")[0] == 0)
    log.unlink()
    status, _, err = run(trawl, place, "farm", "merge", "farm")
    checker.check("no trace", status == 1 and err.count("\n") == 1 and "No such file" in err, err)


def test_no_plan(trawl, checker, place):
    """What is given in place of the directory of a plan is named, with what makes one."""
    traces(place)
    (place / "file").write_text("notes\n")
    (place / "empty").mkdir()
    (place / "other").mkdir()
    (place / "other" / "plan").write_text("to do: sleep\n")
    for name, wanted in (
        ("file", "file: is not the directory of a plan; 'trawl farm plan' makes one"),
        ("empty", "empty: is not the directory of a plan; 'trawl farm plan' makes one"),
        ("nothing", "nothing: is not the directory of a plan; 'trawl farm plan' makes one"),
        ("other", "other/plan: is not a plan of this version of trawl"),
    ):
        for words in (["farm", "merge"], ["farm", "task", "--task", 1]):
            status, _, err = run(trawl, place, *words, name)
            checker.check(f"{words} {name}: {err}", status == 1 and err.endswith(f"{wanted}\n") and err.count("\n") == 1)


def test_one_index(trawl, checker, place):
    """A trace that is given twice is planned once, and no plan has two traces with one index."""
    traces(place)
    (place / "link").symlink_to("t/a b.tarmac")
    status, out, err = run(trawl, place, "farm", "plan", "--dir", "farm", "t/a b.tarmac", "t/../t/a b.tarmac", "link")
    checker.check(f"given twice: {out}{err}", (status, out) == (0, "1 task, 1 merge\n"))
    plan = place / "farm" / "plan"
    index = plan.read_text().splitlines()[-1]
    plan.write_text(f"{plan.read_text()}trace 0 {place / 't' / 'log.xray'}\n{index}\n")
    for words in (["farm", "merge"], ["farm", "task", "--task", 1]):
        status, _, err = run(trawl, place, *words, "farm")
        checker.check(f"{words}: {err}", status == 1 and "would have the same index" in err and err.count("\n") == 1)


def test_pipe_as_plan(trawl, checker, place):
    """A FIFO in place of a plan is refused; nobody waits for its other end."""
    traces(place)
    (place / "farm").mkdir()
    os.mkfifo(place / "farm" / "plan")
    for words in (["merge", "farm"], ["task", "--task", 1, "farm"], ["plan", "--dir", "farm", "t"]):
        status, _, err = run(trawl, place, "farm", *words)
        checker.check(f"{words}: {err}", status == 1 and err.endswith("farm/plan: is not a regular file\n"))


def test_slurm_scripts(trawl, checker, place):
    """The scripts for sbatch, which /bin/sh interprets as intended, for any name of the directory."""
    traces(place)
    odd = place / "it's a $HOME"
    odd.mkdir()
    status, out, err = run(trawl, place, "farm", "slurm", "--dry-run", "--shards", 4, "--dir", odd / "farm", "--sbatch=--partition=night", "--retries", 3, "t")
    checker.check("dry", status == 0 and list(odd.iterdir()) == [] and "#SBATCH --partition=night\n" in out and "--array=1-9\n" in out, (out, err))
    checker.check("surveys and tries", out.count("sbatch --parsable") == 6 and "farm task --survey" in out, out)
    run(trawl, place, "farm", "slurm", "--shards", 4, "--dir", odd / "farm", "t")
    fake = place / "bin"
    fake.mkdir()
    (fake / "sbatch").write_text('#!/bin/sh\nfor last; do :; done\nfor i in $(seq $(sed -n "s/#SBATCH --array=1-//p" $last)); do SLURM_ARRAY_TASK_ID=$i sh $last || exit 1; done\n'
                                 'grep -q -- --array $last || sh $last || exit 1\necho "7;cluster"\n')  # fmt: skip
    (fake / "sbatch").chmod(0o755)
    wanted = wholes(trawl, place)
    done = subprocess.run(["sh", odd / "farm" / "submit.sh"], env={**os.environ, "PATH": f"{fake}:{os.environ['PATH']}"}, capture_output=True, text=True, timeout=TIMEOUT_S)
    checker.check("submitted", done.returncode == 0 and done.stdout.endswith("merge: job 7\n"), done)
    for name, index in wanted.items():
        checker.check(name, (place / "t" / f"{name}.index").read_bytes() == index)
    for words in (["--dir", "a%b"], ["--dir", 'a"b']):
        status, _, err = run(trawl, place, "farm", "slurm", *words, "t")
        checker.check(f"{words}", status == 1 and "which Slurm interprets" in err, err)
    for words in (["--retries", "99"], ["--sbatch", "x"], ["--shards", "0"], ["--threads", "x"]):
        checker.check(f"{words}", run(trawl, place, "farm", "slurm", *words, "t")[0] == 2)
    status, _, err = run(trawl, place, "farm", "slurm", "--submit", "t", PATH="/nonexistent")
    checker.check("no sbatch", status == 1 and "sbatch refused the jobs" in err, err)
