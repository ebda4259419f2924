"""What `trawl doctor --anonymize` shows of a trace contains none of its addresses, values and texts, and keeps its shape.

Lines of all dialects (dialects/) with secrets in them (addresses, data, names of functions, text) are damaged at random. No run of digits
of the original may be left in the lines of the report, and only digits and letters may have changed, up to where a line is truncated.

    tests/run.py anonymize
"""

import random
import re
import subprocess
from pathlib import Path

from bounded import run_bounded

TESTS = Path(__file__).resolve().parents[1]
TIMEOUT_S = 60
ROUNDS, LINES = 60, 12
EXAMPLE = re.compile(r"^\* \d+ lines?, (?:the first is )?(\d+): ")

SECRETS = [
    "5 clk IT (5) 00008000 e3a0c0de A svc_s : BL secret_function ; 0x8badf00d",
    "6 clk cpu0 SEMIHOSTING: password=hunter2 at 0xcafe",
    "7 clk TUBE secret1234 deadbeef",
    "8 ns IT (0000c0de:00001028) 0000c0de     491d  LDR      r1,[pc,#116] ; secret",
    "9 clk R r0 c0ffee",
    "9 clk R r0c0ffee17 is_secret",
    "10 clk MW1 0000c0de bad_value",
    "11 clk IT00008d04 e3a0c0de A svc_s : MOV r7,#3",
    "12 clk LD 0000000080c0ffe0 ........ 0badcafe ........ #secret# S:80c0ffe0 NM ISH",
    "12 ps ES (0000c0de:b51) T thrd_s: PUSH {r4,lr}",
]


def spoil(line, rng):
    """The line with some fault in it."""
    how = rng.randrange(5)
    at = rng.randrange(len(line) + 1)
    if how == 0:
        return line[:at]
    if how == 1:
        return line[:at] + "!" + line[at:]
    if how == 2:
        return line.replace(" ", "", 1 + rng.randrange(3))
    if how == 3:
        return line[:at] + rng.choice(["junk77c0de", "c0ffee", "%&", " : "]) + line[at + 5 :]
    words = line.split(" ")
    rng.shuffle(words)
    return " ".join(words)


def shuffled_digits(line, rng):
    """With other digits than those of the samples, so that none of them is in the report by chance."""
    return re.sub(r"[1-9]", lambda _: rng.choice("3456789"), line)


def secrets_of(line):
    """What must not be left: numbers of three and more digits, and words that can be anything."""
    numbers = set()
    for run in re.findall(r"[0-9a-fA-F]{4,}", line):
        numbers.update(run[i : i + 4] for i in range(len(run) - 3))
    numbers = {n for n in numbers if re.search(r"\d", n) and n.strip("0") and not n.isalpha()}
    return numbers | {word for word in ("secret", "hunter", "password") if word in line}


def kept_shape(line):
    return re.sub(r"[0-9A-Za-z]", "w", line.replace("\t", "?"))


def examples(report, lines):
    """The lines of the report that show lines of the trace, with the original lines."""
    found = report.split("\n")
    for i, text in enumerate(found[:-1]):
        match = EXAMPLE.match(text)
        if match:
            yield lines[int(match.group(1)) - 1], found[i + 1][2:]


def check_round(checker, folder, pool, rng):
    """Returns the number of lines that were shown."""
    lines = [shuffled_digits(spoil(rng.choice(pool), rng), rng).replace("\n", " ") for _ in range(LINES)]
    trace = folder / "t"
    trace.write_bytes("\n".join(["1 clk IT (1) 00008000 e1a00000 A svc_s : NOP", *lines, ""]).encode())
    words = [str(checker.trawl), "doctor", "-q", "--anonymize", str(trace)]
    status, out, err, killed = run_bounded(words, TIMEOUT_S, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if killed or status not in (0, 3):
        checker.check("status", False, (status, err))
        return 0
    count = 0
    for line, shown in examples(out.decode(), ["", *lines]):
        count += 1
        left = sorted(secret for secret in secrets_of(line) if secret in shown)
        checker.no_fault(f"what is left of {line!r} in {shown!r}", left)
        checker.check("shape", kept_shape(shown) == kept_shape(line)[: len(shown)], (line, shown))
    return count


def test_anonymize(checker, place):
    rng = random.Random(17)
    pool = list(SECRETS) * 4
    for path in sorted((TESTS / "dialects").glob("*.dialect")):
        text = path.read_bytes().split(b"--- trace\n", 1)[1].decode("utf-8-sig")
        pool += [line for line in text.splitlines() if line.strip() and line.isascii()]
    count = sum(check_round(checker, place, pool, rng) for _ in range(ROUNDS))
    checker.check("lines were shown", count >= ROUNDS, count)
