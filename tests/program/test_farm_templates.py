"""The templates of docs/farm.md, run unchanged: by schedulers of a few lines that accept the options of the real ones, and checked by the
parsers of the real ones if available (tests/with_pypi kubernetes-validate awscli -- tests/run.py farm_templates)."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "farm.md").read_text()
TRACE = ROOT / "corpus" / "traces" / "sort-a64.it.tarmac"
TIMEOUT_S = 120
TASKS = 16

# For each scheduler: the options that take a value, the option for an array, the option to wait for another job, and the variable with the
# number of the task.
SCHEDULERS = {
    "LSF": ("bsub", {"-J", "-n", "-o", "-w"}, r"-J trawl\[1-(\d+)\]", r'-w done\("trawl"\)', "LSB_JOBINDEX", 1),
    "Grid Engine": ("qsub", {"-N", "-t", "-r", "-b", "-j", "-o", "-hold_jid"}, r"-t 1-(\d+)", "-hold_jid trawl", "SGE_TASK_ID", 1),
    "PBS Professional and OpenPBS": ("qsub", {"-N", "-J", "-l", "-r", "-j", "-o", "-W"}, r"-J 1-(\d+)", r"-W depend=afterok:7\[\]\.host", "PBS_ARRAY_INDEX", 1),
    "AWS Batch": ("aws", set(), r"--array-properties size=(\d+)", r"--depends-on jobId=7\[\]\.host", "AWS_BATCH_JOB_ARRAY_INDEX", 0),
}  # fmt: skip

# Runs its script at once, once for each task of the array, and prints the number of the job.
SUBMIT = """
import json, os, re, subprocess, sys
values, array, after, variable, first = {values!r}, {array!r}, {after!r}, {variable!r}, {first!r}
words = sys.argv[1:]
given = " ".join(words)
if {is_aws!r}:
    command = json.loads(words[words.index("--container-overrides") + 1].removeprefix("command="))
else:
    while words[0].startswith("-"):
        option = words.pop(0)
        if option == "--":
            break
        if option == "-pe":
            del words[:2]
        elif option in values:
            del words[0]
    command = words
found = re.search(array, given)
if not found and not re.search(after, given):
    sys.exit("neither an array nor after one: " + given)
command[0] = os.path.basename(command[0])
for number in range(int(found[1]) if found else 1):
    variables = {{variable: str(number + first)}} if found else {{}}
    subprocess.run(command, env={{**os.environ, **variables}}, check=True)
print("7[].host")
"""


def template(name):
    return re.search(rf"### {re.escape(name)}\n.*?```\w+\n(.*?)```", PAGE, re.S)[1]


def run(words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, **options)


def prepare(trawl, place):
    """A directory with a trace, the index of the whole trace, and a PATH with only the necessary programs."""
    for name in ("shared", "bin"):
        (place / name).mkdir()
    shutil.copy(TRACE, place / "shared" / "run.tarmac")
    run([trawl, "index", "-q", "--index", place / "whole", place / "shared" / "run.tarmac"])
    (place / "bin" / "trawl").symlink_to(Path(trawl).resolve())
    return {**os.environ, "PATH": f"{place / 'bin'}:{os.environ['PATH']}"}


def is_whole(place):
    index = place / "shared" / "run.tarmac.index"
    return index.exists() and index.read_bytes() == (place / "whole").read_bytes()


@pytest.mark.parametrize("name", SCHEDULERS)
def test_template(trawl, checker, place, name):
    program, values, array, after, variable, first = SCHEDULERS[name]
    environment = prepare(trawl, place)
    script = SUBMIT.format(values=values, array=array, after=after, variable=variable, first=first, is_aws=program == "aws")
    (place / "bin" / program).write_text(f"#!{sys.executable}\n{script}")
    (place / "bin" / program).chmod(0o755)
    text = template(name).replace("/shared/", f"{place}/shared/")
    plan = f"trawl farm plan --dir {place}/shared/farm --shards {TASKS} {place}/shared/run.tarmac\n"
    done = run(["sh", "-euc", text if plan in text else plan + text], env=environment, cwd=place)
    checker.check("the jobs run", done.returncode == 0, done)
    checker.check("all parts", len(list((place / "shared" / "farm" / "parts").iterdir())) == TASKS)
    checker.check("the index is the whole one", is_whole(place), done)


def test_kubernetes(trawl, checker, place):
    yaml = pytest.importorskip("yaml", reason="no python3-yaml")
    environment = prepare(trawl, place)
    job = yaml.safe_load(template("Kubernetes"))
    spec = job["spec"]
    container = spec["template"]["spec"]["containers"][0]
    checker.check("indexed", (spec["completionMode"], spec["completions"]) == ("Indexed", TASKS), spec)
    checker.check("volume", {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in spec["template"]["spec"]["volumes"]})
    farm = str(place / "shared" / "farm")
    run([trawl, "farm", "plan", "--dir", farm, "--shards", str(TASKS), place / "shared" / "run.tarmac"])
    for number in range(spec["completions"]):
        words = [word.replace("/shared/farm", farm) for word in container["command"]]
        done = run(words, env={**environment, "JOB_COMPLETION_INDEX": str(number)})
        checker.check(f"task {number}", done.returncode == 0, done)
    done = run([trawl, "farm", "merge", farm])
    checker.check("the index is the whole one", done.returncode == 0 and is_whole(place), done)


def test_kubernetes_schema(checker):
    validate = pytest.importorskip("kubernetes_validate", reason="no kubernetes-validate of PyPI")
    yaml = pytest.importorskip("yaml", reason="no python3-yaml")
    job = yaml.safe_load(template("Kubernetes"))
    for version in ("1.28", "1.31"):
        checker.check(version, validate.validate(job, version, strict=True) == version)
    job["spec"]["completionsMode"] = "Indexed"
    try:
        validate.validate(job, "1.31", strict=True)
        checker.check("what is no field is refused", False)
    except validate.ValidationError:
        checker.check("what is no field is refused", True)


def test_aws_parser(checker):
    pytest.importorskip("awscli", reason="no awscli of PyPI")
    commands = template("AWS Batch").replace("\\\n", " ").replace("map=$(", "").splitlines()
    environment = {**os.environ, "AWS_DEFAULT_REGION": "eu-west-1"}
    for command in filter(None, commands):
        words = shlex.split(command.rstrip(")").replace('"$map"', "7"))
        for more, is_right in (([], True), (["--arrays", "3"], False)):
            done = run([sys.executable, "-m", "awscli", *words[1:], *more, "--query", "jobName", "--generate-cli-skeleton", "output"], env=environment)
            checker.check(f"{command} {more}", (done.returncode == 0) == is_right, done)
