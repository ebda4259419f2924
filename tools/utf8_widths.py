#!/usr/bin/env python3
"""Makes src/base/utf8_widths.h: which characters take no column of a terminal, or two, according to Unicode.

    tools/utf8_widths.py > src/base/utf8_widths.h && tools/zigw build fmt

The source is the Unicode Character Database, as Python's unicodedata has it. Wide are those whose East_Asian_Width is W or F. Without a
column are marks (general category Mn, Me), format characters (Cf) but for the soft hyphen and the signs of Arabic and Kaithi that are before
numbers, and vowels and final consonants of Hangul, which are drawn in the syllable before them. Characters that are not assigned yet may be in a
range with their neighbors.
"""

import re
import unicodedata
from pathlib import Path

WRITTEN = Path(__file__).resolve().parents[1] / "src" / "base" / "utf8_widths.h"
ALONE = {0xAD, *range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}


def width_of(code):
    """None: any, it is not assigned."""
    character = chr(code)
    category = unicodedata.category(character)
    if code not in ALONE and (category in ("Mn", "Me", "Cf") or 0x1160 <= code <= 0x11FF or 0xD7B0 <= code <= 0xD7FB):
        return 0
    if category == "Cn":
        return None  # Python says F of those
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def ranges(width):
    """(first, last) of the characters of a width."""
    first = last = None
    for code in range(0x80, 0x110000):
        found = width_of(code)
        if found == width:
            first, last = (code, code) if first is None else (first, code)
        elif found is not None and first is not None:
            yield first, last
            first = None
    if first is not None:
        yield first, last


def header():
    """Its lines are broken as clang-format wants them later."""
    lines = [f"// Made by tools/utf8_widths.py from Unicode {unicodedata.unidata_version}."]
    for name, width in (("without_column", 0), ("wide", 2)):
        lines += [f"static const struct utf8_range {name}[] = {{", "   "]
        for first, last in ranges(width):
            item = f" {{{first:#x}, {last:#x}}},"
            if len(lines[-1] + item) > 100:
                lines.append("   ")
            lines[-1] += item
        lines.append("};")
    return "".join(f"{line}\n" for line in lines)


def written_version():
    """The version of Unicode of the file in the repository."""
    return re.search(r"Unicode ([0-9.]+)\.\n", WRITTEN.read_text())[1]


if __name__ == "__main__":
    print(header(), end="")
