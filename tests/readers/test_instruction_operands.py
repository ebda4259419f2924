"""Compares the registers that instructions read and write according to our table (src/arch/arm/effects.h) with those that LLVM's
disassembler names, for random encodings.

    tests/run.py instruction_operands

A disassembler names operands, not what is done with them, so this says only that none is left out or made up. It is told here which
operands are not shown (SP of PUSH, LR of BL) and which do nothing (of a prefetch).
"""

import collections
import random
import re
import shutil
import subprocess

import extent
import pytest

MC = shutil.which("llvm-mc-19") or shutil.which("llvm-mc")
ENCODINGS = 100000 if extent.IS_THOROUGH else 6000
COMPARED_MIN = 0.1  # of them, at least
FEATURES = {
    "a64": ["-triple=aarch64", "-mattr=+v8.7a,+sve2,+fullfp16,+fp16fml,+sha2,+sha3,+sm4,+aes,+mte,+rcpc,+dotprod,+bf16,+i8mm,+crc"],
    "a32": ["-triple=armv8a", "-mattr=+neon,+fullfp16,+crypto,+crc,+trustzone,+virtualization,+mp,+hwdiv-arm,+hwdiv"],
    "t32": ["-triple=thumbv8a", "-mattr=+neon,+fullfp16,+crypto,+crc,+trustzone,+virtualization,+mp,+hwdiv-arm,+hwdiv"],
}
FEATURES["t16"] = FEATURES["t32"]
ALIASES = {"lr": "r14", "sp": "r13", "pc": "", "xzr": "", "wzr": ""}
PLACE = re.compile(r"([xvp])(\d+)(?:\+(\d+))?:(\d+)$")
NAMED = re.compile(r"(?<![\w#.])(?:([a-z])(\d+)(?:\.\d*[bhsdq])?(?:\[\d*\])?(?: - [a-z](\d+)(?:\.\d*[bhsdq])?)?|(sp|wsp|lr|pc))(?![\w])")
# Registers that the text does not show, by the mnemonic.
HIDDEN = [
    ("a64", re.compile(r"bl$|blr|ret|pac|aut|xpaclri|chkfeat"), {"x30", "x31", "x16", "x17"}),
    ("a32", re.compile(r"push|pop|vpush|vpop|bl|rfe|srs|sub|mov"), {"x13", "x14"}),
    ("t32", re.compile(r"push|pop|vpush|vpop|bl|rfe|srs|sub|eret|dls|le|wls|cps"), {"x13", "x14"}),
    ("t16", re.compile(r"push|pop|bl"), {"x13", "x14"}),
]
# Those that the text shows, and which have no effect on data: of a prefetch, of a result that is dropped (in the zero register), of a
# condition that always holds, of an extraction of nothing.
IDLE = re.compile(r"prf|rprfm|pld|pli|dc |ic |at |tlbi|sys|wf[ie]t|msr|mrs|cfp|cpp|dvp|tsb|psb|nop|cosp|"
                  r"\S+ [xw]zr,|\S+ [^@]*, (?:al|nv)$|(?:extr|v?ext)\b.*#0$")  # fmt: skip


def code_of(isa, encoding):
    size = 2 if isa == "t16" else 4
    if isa == "t32":
        encoding = (encoding >> 16 | encoding << 16) & 0xFFFFFFFF
    return " ".join(f"0x{byte:02x}" for byte in encoding.to_bytes(size, "little"))


def disassemble(isa, encodings):
    """LLVM's text of each; None: there is no such instruction."""
    text = "".join(f"[{code_of(isa, encoding)}]\n" for encoding in encodings)
    done = subprocess.run([MC, "-disassemble", *FEATURES[isa]], input=text, capture_output=True, text=True, timeout=300, check=False)
    bad, doubtful = ({int(line) - 1 for line in re.findall(rf"<stdin>:(\d+):\d+: warning: {what}", done.stderr)}
                     for what in ("invalid", "potentially"))  # fmt: skip
    lines = iter([line.strip().replace("\t", " ") for line in done.stdout.splitlines() if line.strip() and ".text" not in line])
    found = [None if i in bad else next(lines, None) for i in range(len(encodings))]
    assert next(lines, None) is None, "LLVM's lines do not fit"
    return [None if i in doubtful else text for i, text in enumerate(found)]


def random_encodings(isa, count):
    dice, found = random.Random(20), []
    while len(found) < count:
        word = dice.getrandbits(32)
        if isa == "t16":
            word &= 0xFFFF
            if word >> 11 in (29, 30, 31) or (word >> 8 == 0xBF and word & 15):  # an IT would count for what follows
                continue
        elif isa == "t32":
            word |= 0xE0000000
            if not word >> 27 & 3:
                word |= dice.choice((1, 2, 3)) << 27
        elif isa == "a32":
            word = word & 0x0FFFFFFF | dice.choice((0xE, 0xE, 0xE, 0, 0xF)) << 28
        elif dice.random() < 0.6:  # A64: more of what exists
            word = word & ~(15 << 25) | dice.choice((2, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15)) << 25
        found.append(word)
    return found


def cells(isa, letter, number):
    """The registers of the space that a name denotes."""
    if isa == "a64":
        return {"x": f"x{number}", "w": f"x{number}", "p": f"p{number}"}.get(letter, f"v{number}")
    return {"r": f"x{number}", "q": f"v{number}", "d": f"v{number // 2}", "s": f"v{number // 4}"}.get(letter, "")


def registers_of_text(isa, text):
    _, _, operands = text.partition(" ")
    found = set()
    for letter, number, last, word in NAMED.findall(operands.split("//")[0].split("@")[0]):
        if word:
            if word == "lr":
                found.add("x14")
            elif word != "pc":
                found.add("x31" if isa == "a64" else "x13")
            continue
        top = int(last or number)
        for n in range(int(number), top + 1 if top >= int(number) else top + 33):
            found.add(cells(isa, letter, n % 32))
    return found - {""}


def registers_of_flows(text):
    found = set()
    for place in re.findall(r"[=@?]?([^ ;]+)", text):
        at = PLACE.match(place)
        if at:
            found.add(at[1] + at[2])
    return found


def fault(isa, text, flows):
    mnemonic = text.split()[0]
    named, ours = registers_of_text(isa, text), registers_of_flows(flows)
    for kind, pattern, hidden in HIDDEN:
        if kind == isa and pattern.match(mnemonic):
            ours, named = ours - hidden, named - hidden
    missing = named - ours
    if IDLE.match(text):
        missing = set()
    return f"not in the table: {sorted(missing)}" if missing else f"not in LLVM's text: {sorted(ours - named)}" if ours - named else None


@pytest.mark.skipif(not MC, reason="there is no llvm-mc")
@pytest.mark.parametrize("isa", FEATURES)
def test_operands(checker, prefix, isa):
    encodings = random_encodings(isa, ENCODINGS)
    size = 2 if isa == "t16" else 4
    asked = "\n".join(f"{'t32' if isa == 't16' else isa} {size} 15 {encoding:x}" for encoding in encodings)
    flows = subprocess.run([str(prefix / "tests" / "effects-rows")], input=asked, capture_output=True, text=True, check=True,
                           timeout=300).stdout.splitlines()  # fmt: skip
    compared, unknown = 0, collections.Counter()
    for encoding, text, flow in zip(encodings, disassemble(isa, encodings), flows, strict=True):
        if text and flow == "unknown":
            unknown[text.split()[0]] += 1
        elif text:
            compared += 1
            checker.no_fault(f"operands of {isa} are those of LLVM", fault(isa, text, flow), at=f"{encoding:08x} {text}")
    checker.check(f"instructions of {isa} are compared", compared > COMPARED_MIN * len(encodings), compared)
    checker.tell(f"{isa}: {compared} compared, {unknown.total()} unknown to us")
