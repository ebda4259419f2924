"""Checks the architecture: every file includes only files of its own layer ("floor") and of layers below it, and files that the build
mentions exist.

A floor is a directory, and its files may include each other. Two directories on one floor
(src/cli and src/report) do not include each other.

A module is the files with one name: X.h, X.c and X.inc. Includes between modules have no cycle, within a floor or across; what two modules
need from each other is in a third one.

Limits are in src/base/limits.h: a constant with such a name (LIMIT_X, X_MAX) elsewhere is in a list here that says why it is not a limit.

Kinds of traces (src/trace/*/) do not include each other. What kinds of lines share (src/trace/lines) includes none of them. Only the table of kinds and the reports for a single kind (src/cmd/*/) include
files of a kind, and nothing includes those reports.

Comments name only sources that exist, and each section has a name.

Colors of what people see in a browser are in src/report/look.h; elsewhere only those that one picture has, and scales.

Only kinds and the table of architectures (src/arch/*.c) include files of one architecture (src/arch/*/), and no other code mentions what
decides by one: everything else reads facts from its row (src/arch/arch.h).
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# From top to bottom.
FLOORS = [
    ["src/main.c", "src/bare.c"],
    ["src/lib"],
    ["src/cmd"],
    ["src/tui", "src/serve", "src/gdb", "src/mcp"],
    ["src/browse"],
    ["src/session"],
    ["src/export", "src/compat"],
    ["src/check"],
    ["src/unwind", "src/diff", "src/dataflow"],
    ["src/query"],
    ["src/names"],
    ["src/search"],
    ["src/trace"],
    ["src/arch"],
    ["src/flow"],
    ["src/dwarf"],
    ["src/elf"],
    ["idx"],
    ["src/cli", "src/report"],
    ["simd"],
    ["src/base"],
]
KIND = re.compile(r"src/(trace|cmd)/(?!lines/)([^/]+)/")
# Other files that may include the internals of a kind.
KNOWS_KINDS = {
    "src/trace/kinds.c",
    # Stands in for files of all layers.
    "src/bare.c",
}
ARCHITECTURE = re.compile(r"src/arch/([^/]+)/")
KNOWS_ARCHITECTURES = re.compile(r"src/(trace/(?!lines/)[^/]+/|arch/[^/]+\.c$)")
# What the room of kinds of lines still takes from one architecture: numbers of instruction sets and modes, and the places of registers.
KNOWN_TO_LINES = {"src/arch/arm/isa.h", "src/arch/arm/registers.h"}
LIMITS = "src/base/limits.h"
LIMIT = re.compile(r"^\s*#define (LIMIT_\w+|\w+_MAX)\b|\b(LIMIT_\w+|[A-Z]\w*_MAX) = ", re.MULTILINE)
# Names with MAX that are not limits for input or users.
NO_LIMITS = {
    # Given by a format or an architecture, or by constants from which it is computed.
    "ACTION_MAX", "ARROW_COLUMNS_MAX", "BITPACK_WIDTH_MAX", "BLOCK_COUNT_MAX", "BLOCK_DICTIONARY_MAX", "COLUMN_COUNT_MAX",
    "COLUMN_HEAD_BYTES_MAX", "END_MARK_BYTES_MAX", "FIGURE_BYTES_MAX", "FILTER_MAX", "FLEX_WORDS_MAX", "XRAY_MADE_FUNCTION_MAX",
    "GDB_BLOCK_BYTES_MAX", "GDB_NAMED_MAX", "GDB_REGISTERS_MAX", "GDB_REGISTER_BYTES_MAX", "GROUP_BYTES_MAX", "INDEX_LANES_MAX", "INDEX_SECTIONS_MAX",
    "INDEX_SEGMENT_EVENTS_MAX", "INDEX_SIZES_MAX", "INSTRUCTIONS_MAX", "KEY_BYTES_MAX", "MARK_SIZE_MAX", "MEMORY_LEVELS_MAX",
    "NEEDED_MAX", "SCAN_COLUMNS_MAX", "NUMBER_BYTES_MAX", "OPERANDS_MAX", "PARTS_MAX", "BITSET_UNIVERSE_MAX", "RECORD_BYTES_MAX", "REGISTER_CELLS_MAX", "STEP_PCS_MAX", "SFRAME_ROW_BYTES_MAX", "SIZES_MAX",
    "LINE_ACCESS_BYTES_MAX", "TFILE_MEMORY_BYTES_MAX", "TFILE_TRACEPOINT_MAX", "TRAWL_REGISTER_SPACE_MAX", "VARINT_BYTES_MAX",
    "VCD_ESCAPE_BYTES_MAX", "VCD_IDENTIFIER_BYTES_MAX", "VCD_REGISTERS_MAX", "VCD_REGISTER_BYTES_MAX",
    # Room for what the program itself generates.
    "LINE_BYTES_MAX", "OPTION_ALTERNATIVES_MAX", "OUT_ROOM_BYTES_MAX", "SEGMENT_EVENTS_MAX", "SFRAME_TEXT_MAX",
    "TABLE_COLUMNS_MAX", "TFILE_TEXT_BYTES_MAX", "TRACE_COLUMNS_MAX", "VALUE_TEXT_MAX",
    # The layout of text.
    "ENTRY_END_MAX", "INDENTATION_MAX", "NAME_BYTES_MAX", "NAME_LENGTH_MAX", "SHOWN_BYTES_MAX", "SUGGESTIONS_MAX",
    "TEXT_MAX", "TITLE_COLUMNS_MAX",
    # When another algorithm becomes faster; the result is the same.
    "COUNTED_EVENTS_MAX", "KEY_MISSES_MAX", "LATENCY_PARTS_BITS_MAX", "LEARNED_MAX", "LR_AGE_MAX",
    "MEMORY_NODE_ENTRIES_MAX", "SURVEY_MARKS_MAX", "NO_ENTRIES_MAX", "CHUNKS_MAX", "PLACES_MAX", "RUN_KEYS_MAX", "STEPS_MAX", "SUM_MAX",
    "LINE_TEMPLATES_MAX",
}
BUILT = "tools/build/sources.zig"
# As in tools/build/programs.zig; a quoted include is also searched in the directory of the including file.
INCLUDE_DIRS = ["src", "."]
INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def floor_of(path):
    """The directory (or file) of FLOORS that contains `path`, and its depth."""
    for depth, places in enumerate(FLOORS):
        for place in places:
            if path == place or path.startswith(place + "/"):
                return place, depth
    return None, None


def sources(*patterns):
    for pattern in patterns:
        for path in sorted(ROOT.glob(pattern)):
            yield path.relative_to(ROOT).as_posix()


def resolve(path, name):
    """The file of the repository that `#include "name"` refers to in `path`, or None."""
    for directory in [Path(path).parent, *map(Path, INCLUDE_DIRS)]:
        candidate = (ROOT / directory / name).resolve()
        if candidate.is_file() and ROOT in candidate.parents:
            return candidate.relative_to(ROOT).as_posix()
    return None


def include_faults(path):
    place, depth = floor_of(path)
    if place is None:
        yield f"{path}: stands on no floor"
        return
    for name in INCLUDE.findall((ROOT / path).read_bytes()):
        name = name.decode()
        included = resolve(path, name)
        if included is None:
            yield f'{path}: includes "{name}", which is no file of the repository'
            continue
        kind = KIND.match(included)
        own_folders = tuple(f"src/{place}/{kind[2]}/" for place in ("trace", "cmd")) if kind else ()
        if kind and not path.startswith(own_folders) and path not in KNOWS_KINDS:
            yield f"{path}: includes {included}, which is inside of a kind of trace"
        architecture = ARCHITECTURE.match(included)
        is_known = KNOWS_ARCHITECTURES.match(path) or (path.startswith("src/trace/lines/") and included in KNOWN_TO_LINES)
        if architecture and not path.startswith(architecture[0]) and not is_known:
            yield f"{path}: includes {included}, which is of one architecture (src/arch/arch.h has what others may know)"
        below, below_depth = floor_of(included)
        if below is None or (below != place and below_depth <= depth):
            yield f"{path}: includes {included}, which is not below {place}"


def module_of(path):
    return re.sub(r"\.(c|h|inc)$", "", path)


def needs_of(paths):
    """The modules that each module includes."""
    needs = {}
    for path in paths:
        module = needs.setdefault(module_of(path), set())
        for name in INCLUDE.findall((ROOT / path).read_bytes()):
            included = resolve(path, name.decode())
            if included and module_of(included) != module_of(path):
                module.add(module_of(included))
    return needs


def way_back(needs, start):
    """The shortest cycle of includes from a module to itself; None: there is none."""
    came_from, left = {}, [start]
    for module in left:
        for needed in sorted(needs.get(module, ())):
            if needed == start:
                way = [start, module]
                while way[-1] != start:
                    way.append(came_from[way[-1]])
                return way[::-1]
            if needed not in came_from:
                came_from[needed] = module
                left.append(needed)
    return None


def circle_faults(paths):
    """For each module, the cycle that contains it, if there is one."""
    needs = needs_of(paths)
    for module in sorted(needs):
        way = way_back(needs, module)
        yield [f"{module}: includes itself by way of others: {' -> '.join(way)}"] if way else []


def limit_faults(paths):
    """Limits in other files, file by file; then names in the list that no file has."""
    met = set()
    for path in paths:
        if path == LIMITS:
            continue
        names = {a or b for a, b in LIMIT.findall((ROOT / path).read_text())}
        met |= names
        yield [f"{path}: {name} belongs to {LIMITS}, or onto NO_LIMITS" for name in sorted(names - NO_LIMITS)]
    yield [f"NO_LIMITS: nothing is called {name}" for name in sorted(NO_LIMITS - met)]


PATHS = list(sources("src/**/*.[ch]", "src/**/*.inc", "idx/**/*.[ch]", "simd/**/*.[ch]", "simd/**/*.inc"))


def judge(checker, outcomes):
    """Each outcome is the list of faults of one thing."""
    for faults in outcomes:
        checker.no_fault("plan of the house", faults)


def test_includes(checker):
    judge(checker, (list(include_faults(path)) for path in PATHS))


def test_circles(checker):
    judge(checker, circle_faults(PATHS))


def test_limits(checker):
    judge(checker, limit_faults(PATHS))


def test_sources_of_the_build(checker):
    named = set(re.findall(r'"((?:src|idx|simd|tests/unit)/[^"]*\.c)"', (ROOT / BUILT).read_text()))
    judge(checker, ([] if (ROOT / path).is_file() else [f"{path}: is in {BUILT} but not here"] for path in sorted(named)))


# What looks like the name of a source in a comment and is none, or is somebody else's.
OTHER_NAMES = {"sext.h", "zext.h", "c.sext.h", "c.zext.h", "stdint.h", "lib.c", "elfutils/debuginfod.h", "simd/something_body.inc"}


def comment_faults(path, paths):
    for number, line in enumerate((ROOT / path).read_text().split("\n"), 1):
        comment = line.partition("//")[2]
        if re.fullmatch(r" -{20,}", comment):
            yield f"{path}:{number}: a section without a name"
        if comment.startswith(" --- ") and not comment.endswith("---"):
            yield f"{path}:{number}: the heading of a section is a line of 100 columns"
        for name in re.findall(r"[\w/.-]*\w\.(?:c|h|inc)\b(?![\w(])", comment):
            name = name.removeprefix("./")
            if name not in OTHER_NAMES and not any(other == name or other.endswith("/" + name) for other in paths):
                yield f"{path}:{number}: {name} does not exist"


def test_comments(checker):
    paths = [path.relative_to(ROOT).as_posix() for folder in ("src", "idx", "simd", "tests", "tools", "bench") for path in (ROOT / folder).rglob("*")]
    judge(checker, (list(comment_faults(path, paths)) for path in PATHS if Path(path).suffix in (".c", ".h", ".inc")))


# Colors that one picture or page has for itself, and scales between colors.
OWN_COLORS = ["src/report/look.h", "src/cmd/xray/graph", "src/report/flame_svg.css", "src/report/flame_text.c", "src/report/colour_scale", "src/serve/web/style.css", "src/serve/web/colors.js"]
CONTRAST = 4.5  # WCAG AA, of text


def luminance(color):
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_look(checker):
    colors = {name: shown for name, *shown in re.findall(r'X\("(\w+)", "(#\w{6})", "(#\w{6})"\)', (ROOT / "src/report/look.h").read_text())}
    checker.check("colors are found", len(colors) > 8, colors)
    for name in ("front", "weak", "accent", "blue", "hot"):
        for back in ("back", "bar"):
            for shown, behind in zip(colors[name], colors[back]):
                low, high = sorted((luminance(shown), luminance(behind)))
                checker.check(f"{name} on {back} can be read", (high + 0.05) / (low + 0.05) >= CONTRAST, (shown, behind))
    for path in sorted((ROOT / "src").rglob("*")):
        name = str(path.relative_to(ROOT))
        if path.suffix in (".c", ".h", ".css", ".js", ".html") and not name.startswith(tuple(OWN_COLORS)):
            found = re.findall(r"""["':= (](#[0-9a-fA-F]{6})\b""", path.read_text())
            checker.check(f"{name} has no colors of its own", not found, found)
