"""Damage to one line in a hundred changes the results for a whole trace by no more than that.

    tests/run.py damaged_trace

In traces of the corpus, one line in a hundred is truncated, joined with the next one, duplicated, or partly overwritten. Then the total
time of the profile is the same within 1 %. The number of instructions that are lost or gained is at most that of damaged lines, plus as
many again for chance. The cores are the same, except for cores with a few lines that a damaged name creates. The report states that
lines were left out, if there were any.

The profile is also the same within 1 %: the time that moved from one function to another, relative to the total time; the sum of
differences of times with callees, relative to their sum; and the number of calls that are missing or added, relative to all. These
traces are short, and one call in a hundred is a single call. So these figures are summed over the seeds of a program and a kind of
damage, and calls over all programs.
"""

import csv
import functools
import io
import json
import pathlib
import random

import pytest
import quick

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACES = ROOT / "corpus" / "traces"
TIMEOUT_S = 60
SEEDS = 4
DAMAGED_SHARE = 0.01
TIME_DIFFERENCE_MAX = 0.01
PROFILE_DIFFERENCE_MAX = 0.01
INSTRUCTION_DIFFERENCE_MAX = 0.02
COLUMNS = ("self", "total", "calls")
CORE_SHARE_MIN = 0.01
IMAGE = ", with its image"
PROGRAMS = (
    "hash-a64.es", "hash-a64.it", "sort-a64.it", "sort-a32.es", "sort-t32.it", "sort-t32.es",
    "twocores-a64.it", "exceptions-a64.gem5",
    *(f"{name}{IMAGE}" for name in ("hash-a64.es", "sort-a32.es", "sort-t32.it", "twocores-a64.it", "exceptions-a64.gem5")),
)


def cut(lines, at, rng):
    lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]


def join(lines, at, rng):
    lines[at : at + 2] = [b"".join(lines[at : at + 2])]


def double(lines, at, rng):
    lines.insert(at, lines[at])


def write_over(lines, at, rng):
    line = bytearray(lines[at])
    start = rng.randrange(len(line) + 1)
    for i in range(start, min(len(line), start + rng.randrange(1, 16))):
        line[i] = rng.randrange(32, 127)
    lines[at] = bytes(line)


DAMAGES = {"cut": cut, "joined": join, "doubled": double, "written over": write_over}


def damage(trace, kinds, seed):
    rng = random.Random(seed)
    lines = trace.rstrip(b"\n").split(b"\n")
    for at in sorted(rng.sample(range(len(lines)), int(len(lines) * DAMAGED_SHARE)), reverse=True):
        DAMAGES[rng.choice(kinds)](lines, at, rng)
    return b"\n".join(lines) + b"\n"


def run(trawl, *words):
    status, out, err, _ = quick.answer([trawl, *words], TIMEOUT_S)
    if status not in (0, 3):
        raise AssertionError(f"status {status}: {err[-300:]}")
    return status, out.decode(), err.decode()


def measure(trawl, path, images):
    """(profile, instructions, {core: instructions}, damaged lines), according to reports."""
    status, out, err = run(trawl, "profile", "--format=csv", *images, str(path))
    profile = {
        row["address"]: tuple(int(row[column]) for column in COLUMNS)
        for row in csv.DictReader(io.StringIO(out))
    }
    info = json.loads(run(trawl, "info", "--memory-index", "--format=json", str(path))[1])
    damaged = info["trace"]["damaged_lines"]
    if damaged and (status != 3 or f"damaged lines left out: {damaged} " not in err):
        raise AssertionError(f"{damaged} damaged lines are not told: status {status}: {err[-300:]}")
    cores = {lane["lane"] or "-": lane["instructions"] for lane in info["lanes"]}
    return profile, info["trace"]["instructions"], cores, damaged


@functools.cache
def measure_whole(trawl, path, images):
    """The figures of an undamaged trace, measured once for all its damages."""
    return measure(trawl, path, images)


def sums(profile):
    return [sum(row[i] for row in profile.values()) for i in range(len(COLUMNS))]


def differences(whole, damaged):
    """The differences of the columns of two profiles, summed over all functions."""
    none = (0,) * len(COLUMNS)
    apart = [
        sum(abs(whole.get(pc, none)[i] - damaged.get(pc, none)[i]) for pc in {*whole, *damaged})
        for i in range(len(COLUMNS))
    ]
    apart[0] //= 2  # what one function lacks, another one has
    return apart


def differs(whole, damaged, share):
    return abs(whole - damaged) > share * whole


def images_of(program):
    """The trace of a program, whose name may end with IMAGE, and its options."""
    name, with_image, _ = program.partition(IMAGE)
    return name, (f"--image={ROOT / 'corpus' / 'elf' / name.split('.')[0]}.elf",) if with_image else ()


def check(trawl, directory, program, kinds, seed):
    """(a failure or None, (differences, sums) of the profiles)."""
    name, images = images_of(program)
    trace = TRACES / f"{name}.tarmac"
    path = directory / f"{program}-{'-'.join(kinds)}-{seed}".replace(" ", "-")
    path.write_bytes(damage(trace.read_bytes(), kinds, seed))
    try:
        profile, instructions, cores, _ = measure_whole(trawl, trace, images)
        damaged_profile, damaged_instructions, damaged_cores, count = measure(trawl, path, images)
    except AssertionError as fault:
        return f"{path.name}: {fault}", None
    finally:
        path.unlink()
    time, damaged_time = sums(profile)[0], sums(damaged_profile)[0]
    figures = differences(profile, damaged_profile), sums(profile)
    return judge(path.name, kinds, time, damaged_time, instructions, damaged_instructions, cores, damaged_cores,
                 count), figures  # fmt: skip


def judge(name, kinds, time, damaged_time, instructions, damaged_instructions, cores, damaged_cores, count):
    large = {core for core, n in damaged_cores.items() if n >= CORE_SHARE_MIN * instructions}
    if differs(time, damaged_time, TIME_DIFFERENCE_MAX):
        return f"{name}: time {damaged_time}, not {time}"
    if differs(instructions, damaged_instructions, INSTRUCTION_DIFFERENCE_MAX):
        return f"{name}: {damaged_instructions} instructions, not {instructions}"
    if large != set(cores):
        return f"{name}: cores {sorted(damaged_cores)}, not {sorted(cores)}"
    if "cut" in kinds and not count:
        return f"{name}: no line is damaged"
    return None


def check_profiles(checker, name, columns, figures):
    """Checks that the columns do not differ too much over these runs."""
    for i, column in enumerate(columns):
        apart = sum(difference[i] for difference, _ in figures)
        whole = sum(total[i] for _, total in figures)
        checker.check(f"{name}: {column}", apart <= PROFILE_DIFFERENCE_MAX * whole, f"differs by {apart} of {whole}")


@pytest.mark.parametrize("kinds", [*((kind,) for kind in DAMAGES), tuple(DAMAGES)], ids="-".join)
def test_damage(checker, place, kinds):
    figures = []
    for program in PROGRAMS:
        of_program = []
        for seed in range(SEEDS):
            fault, measured = check(checker.trawl, place, program, kinds, seed)
            checker.no_fault(f"{program}, {seed}", fault)
            of_program += [measured] if measured else []
        check_profiles(checker, program, COLUMNS[:2], of_program)
        figures += of_program
    check_profiles(checker, "all programs", COLUMNS, figures)
