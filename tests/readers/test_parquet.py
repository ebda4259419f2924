"""Tables of `trawl export --format parquet`: every value equals that of the table as lines of JSON. Our own reader reads them and
checks the metadata of files; so do pyarrow and DuckDB if installed. Sums over functions equal the profile. Several runs can write a
table of many traces at the same time; each replaces only its own part."""

import json
import os
import shutil
import signal
import statistics
import subprocess
from pathlib import Path

import parquet_reader
import pytest
import quick

MONDAY = 1795392000  # 2026-11-23
ROOT = Path(__file__).resolve().parents[2]
TRACES, IMAGES = ROOT / "corpus" / "traces", ROOT / "corpus" / "elf"
TIMEOUT_S = 120
NAMES = ["sort-a64.it", "sort-t32.it", "fp-a32.it", "twocores-a64.it", "exceptions-a64.it", "recursion-t32.it"]
TABLES = ["calls", "functions", "events", "writes", "registers", "memory"]
HEX = {"pc", "address", "value", "entry_pc", "exit_pc", "site_pc", "resume_pc", "image_address", *(f"argument_{i}" for i in range(1, 5))}
OWN = {"run", "run_time", "trace"}  # columns that other formats do not have
LINES = 3000


class Exports:
    def __init__(self, trawl):
        self.trawl = trawl

    def words(self, format_name, words):
        return [self.trawl, "export", "--format", format_name, *map(str, words)]

    def write(self, directory, *words, status=0, format_name="parquet"):
        """`status` is the expected exit status, or several."""
        done = quick.run([*self.words(format_name, words), "-o", directory], timeout=TIMEOUT_S)  # fmt: skip
        assert done.returncode in (status if isinstance(status, tuple) else (status,)), (words, done.returncode, done.stderr)
        return done.stderr.decode()

    def rows(self, *words):
        """The same table as lines of JSON."""
        done = quick.run(self.words("jsonl", words), timeout=TIMEOUT_S)
        assert done.returncode in (0, 3), (words, done.returncode, done.stderr)
        return [{key: int(value, 16) if key in HEX and value is not None else value
                 for key, value in json.loads(line).items()} for line in done.stdout.splitlines()]  # fmt: skip

    def profile(self, *words):
        """The profile of each function: self, total, calls."""
        done = quick.run([self.trawl, "profile", "--format", "json", *map(str, words)], timeout=TIMEOUT_S, check=True)  # fmt: skip
        return {row["function"]: (row["self"], row["total"], row["calls"]) for row in json.loads(done.stdout)}


def of_trace(name):
    return ["--image", IMAGES / f"{name.split('.')[0]}.elf", TRACES / f"{name}.tarmac"]


def by_lane(rows):
    """Rows sorted by lane: the order of lanes in a table does not matter."""
    return sorted(rows, key=lambda row: row["lane"] or "")


def check_rows(checker, label, found, wanted):
    shared = [{key: row[key] for key in row if key in wanted[0]} for row in found]
    shared = [{**row, "lane": None if row["lane"] == "-" else row["lane"]} for row in shared]
    checker.check(label, len(found) > 0 and by_lane(shared) == by_lane(wanted), (found[:1], wanted[:1], len(found), len(wanted)))


@pytest.mark.parametrize("name", NAMES)
def test_rows(trawl, checker, place, name):
    exports = Exports(trawl)
    for table in TABLES:
        words = ["--table", table, *of_trace(name)]
        wanted = exports.rows(*words)
        exports.write(place / table, *words)
        rows = parquet_reader.read_table(place / table)
        check_rows(checker, f"{table}: rows", rows, wanted)
        checker.check(f"{table}: all columns", set(wanted[0]) <= set(rows[0]), rows[0])
        checker.check(f"{table}: the run", len({(row["run"], row["run_time"], row["trace"]) for row in rows}) == 1 and
                      rows[0]["trace"] == f"{name}.tarmac")  # fmt: skip
        moved = [row for row in rows if row["image"] is not None]
        address = {"calls": "entry_pc", "functions": "address"}.get(table, "pc")
        checker.check(f"{table}: in the image", moved and all(row["image_address"] == row[address] & ~1 for row in moved))
        exports.write(place / f"{table}-plain", "--compression", "none", *words)
        checker.check(f"{table}: without compression", parquet_reader.read_table(place / f"{table}-plain") == rows)


@pytest.mark.parametrize("name", NAMES)
def test_profile(trawl, checker, place, name):
    """Sums over the table of functions equal the profile."""
    exports = Exports(trawl)
    exports.write(place / "table", "--table", "functions", *of_trace(name))
    sums = {}
    for row in parquet_reader.read_table(place / "table"):
        before = sums.get(row["function"], (0, 0, 0))
        sums[row["function"]] = tuple(a + b for a, b in zip(before, (row["self"], row["total"], row["calls"])))
    checker.check(name, sums == exports.profile(*of_trace(name)), sums)


def long_trace(path, lanes, lines=LINES):
    """A trace of `lanes` lanes in turn, whose names do not appear in order; it writes registers and memory."""
    with open(path, "w", encoding="utf-8") as out:
        for i in range(lines):
            lane = f"cpu{(i * 7) % lanes} " if lanes > 1 else ""
            out.write(f"{i} clk {lane}IT ({i}) {0x8000 + i % 50 * 4:08x} e1a00000 A svc_s : NOP\n")
            out.write(f"{i} clk {lane}R r{i % 13} {i * 0x1234567 & 0xffffffff:08x}\n")
            if i % 3 == 0:
                out.write(f"{i} clk {lane}MW4 {0x20000 + i % 64 * 4:08x} {i:08x}\n")


def files_of(directory):
    return {path.relative_to(directory): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


@pytest.mark.parametrize("lanes", [1, 5, 300])
def test_same(trawl, checker, place, lanes):
    """The bytes do not depend on the number of threads and the size of chunks."""
    exports, trace = Exports(trawl), place / "long.tarmac"
    long_trace(trace, lanes)
    for table in ["events", "writes"]:
        wanted = None
        for threads, chunk in [(1, "64K"), (4, "1K"), (2, "7K")]:
            directory = place / f"{table}-{threads}"
            exports.write(directory, "--table", table, "--threads", threads, "--chunk-size", chunk, trace)
            wanted = wanted or files_of(directory)
            checker.check(f"{table}: {threads} threads", files_of(directory) == wanted)
        rows = parquet_reader.read_table(place / f"{table}-1")
        check_rows(checker, f"{table}: rows", rows, exports.rows("--table", table, trace))
        checker.check(f"{table}: a file a lane", len(wanted) == lanes, len(wanted))


def groups_of(directory):
    return [group for path in sorted(directory.rglob("*.parquet")) for group in parquet_reader.read(path)[2]]


def test_groups(trawl, checker, place):
    """More rows than fit in a row group, or in little memory: the same rows in smaller groups."""
    exports, trace = Exports(trawl), place / "long.tarmac"
    long_trace(trace, 2, 110_000)
    words = ["--table", "writes", "--threads", "1", trace]
    exports.write(place / "usual", *words)
    exports.write(place / "little", "--max-memory", "96M", *words)
    rows = parquet_reader.read_table(place / "usual")
    check_rows(checker, "rows", rows, exports.rows(*words))
    checker.check("little memory", parquet_reader.read_table(place / "little") == rows)
    long_trace(trace, 1, 140_000)
    exports.write(place / "one", "--table", "events", trace)
    checker.check("rows of groups", groups_of(place / "one") == [131_072, 8_928], groups_of(place / "one"))


def test_hostile_names(trawl, checker, place):
    """Whatever the names of traces and lanes, files stay within the directory, names do not clash, and readers restore them."""
    exports = Exports(trawl)
    lanes = ["cpu0", "a/b", "..", "%2F", "a%b", "lane=x", "__HIVE_DEFAULT_PARTITION__", "\u00fc", "'q\"", "a:b", "*?[x]"]
    trace = place / "t.tarmac"
    trace.write_text("".join(f"{i} clk {lane} IT ({i}) 00008000 e1a00000 A svc_s : NOP\n" for i, lane in enumerate(lanes)))
    known = {row["lane"] for row in exports.rows("--table", "events", trace)}
    names = ["a/../../b", "..", ".", "x" * 300, "a b", "%", "=", "\u20ac", "-", "__HIVE_DEFAULT_PARTITION__", "a\nb"]
    for name in names:
        exports.write(place / "table", "--table", "events", "--partition", name, trace, status=(0, 3))
    checker.check("nothing beside the table", sorted(os.listdir(place)) == ["t.tarmac", "table"], os.listdir(place))
    traces = os.listdir(place / "table")
    checker.check("a directory each", len(traces) == len(names) and all(name.startswith("trace=") for name in traces), traces)
    rows = parquet_reader.read_table(place / "table")
    checker.check("names of traces", {row["trace"] for row in rows} >= set(names) - {"x" * 300, "-", "__HIVE_DEFAULT_PARTITION__", "a\nb"})
    lanes_found = {row["lane"] for row in rows}
    checker.check("names of lanes", len(known) == len(lanes_found) and
                  lanes_found >= known - {"__HIVE_DEFAULT_PARTITION__"}, (known, lanes_found))  # fmt: skip


def test_many(trawl, checker, place):
    """Simultaneous runs write a table together; each replaces only its own part, completely."""
    exports, table = Exports(trawl), place / "table"
    names = ["sort-a64.it", "fp-a64.it", "recursion-t32.it", "twocores-a64.it"]
    running = [subprocess.Popen([*exports.words("parquet", ["--table", "functions", *of_trace(name)]), "-o", table,
                                 *(["--partition", f"again-{i}"] if i else [])])
               for name in names for i in range(4)]  # fmt: skip
    checker.check("all ended well", [one.wait(TIMEOUT_S) for one in running] == [0] * len(running))
    rows = parquet_reader.read_table(table)
    checker.check("of all", {row["trace"] for row in rows} == {f"{name}.tarmac" for name in names} | {f"again-{i}" for i in (1, 2, 3)})
    before = files_of(table)
    exports.write(table, "--table", "functions", "--function", "main", *of_trace("sort-a64.it"))
    after = files_of(table)
    checker.check("one was replaced", [str(path).partition("/")[0] for path in before if before[path] != after.get(path)] ==
                  ["trace=sort-a64.it.tarmac"])  # fmt: skip
    checker.check("nothing else is there", not [name for name in os.listdir(table) if not name.startswith("trace=")])
    # Of the two cores, only one remains.
    exports.write(table, "--table", "functions", "--lane", "cpu0", *of_trace("twocores-a64.it"))
    checker.check("what was there of other lanes is gone", len(os.listdir(table / "trace=twocores-a64.it.tarmac")) == 1)


def test_refused(trawl, checker, place):
    exports, table = Exports(trawl), place / "table"
    words = of_trace("sort-a64.it")
    exports.write(table, "--table", "functions", *words)
    before = files_of(table)
    trace = place / "sort-a64.it.tarmac"
    trace.write_bytes(Path(words[-1]).read_bytes())

    def is_refused(label, told, status, *given, directory=table):
        said = exports.write(directory, *given, status=status)
        checker.check(label, told in said, said)

    is_refused("another table", "contains another table", 1, "--table", "calls", *words)
    is_refused("another trace of that name", "--partition", 1, "--table", "functions", trace)
    checker.check("nothing has changed", files_of(table) == before and len(os.listdir(table)) == 1)
    exports.write(table, "--table", "functions", "--partition", "sort-a64.it.tarmac", trace)
    checker.check("but by its name", files_of(table) != before)
    (table / "trace=mine").mkdir()
    (table / "trace=mine" / "notes").write_text("mine")
    is_refused("a directory of somebody else", "not written by trawl", 1, "--partition", "mine", trace)
    (place / "file").write_text("mine")
    is_refused("a file", "", 1, trace, directory=place / "file")
    checker.check("which stay", (table / "trace=mine" / "notes").read_text() == "mine" and (place / "file").read_text() == "mine")
    is_refused("nothing to show", "", 1, "--table", "memory", "--time", "900000..900001", "--partition", "none", trace)
    checker.check("leaves nothing", not (table / "trace=none").exists() and not list(table.glob(".trawl*")))
    done = quick.run(exports.words("parquet", [trace]), timeout=TIMEOUT_S)
    checker.check("no directory", done.returncode == 2 and b"-o DIRECTORY" in done.stderr, done.stderr)
    is_refused("options of others", "needs --format parquet", 2, "--format", "csv", "--partition", "x", trace)


def test_killed(trawl, checker, place):
    """Readers do not mistake the remains of a killed run for a part, and the next run removes them."""
    exports, table, pipe = Exports(trawl), place / "table", place / "pipe"
    os.mkfifo(pipe)
    words = ["--table", "events", "--partition", "x"]
    running = subprocess.Popen([*exports.words("parquet", [*words, pipe]), "-o", table])
    with open(pipe, "wb") as out:
        out.write((TRACES / "sort-a64.it.tarmac").read_bytes())
        out.flush()
        while not table.exists() or not list(table.glob(".trawl-*")):
            assert running.poll() is None
        exports.write(table, *words, TRACES / "fp-a64.it.tarmac")
        checker.check("that of a living one stays", len(list(table.glob(".trawl-*"))) == 1)
        running.send_signal(signal.SIGKILL)
        running.wait(TIMEOUT_S)
    checker.check("readers see one part", [path.name for path in table.glob("trace=*")] == ["trace=x"] and
                  not list(table.glob(".trawl-*/*/*.parquet")))  # fmt: skip
    exports.write(table, *words, TRACES / "fp-a64.it.tarmac")
    checker.check("which the next one takes away", os.listdir(table) == ["trace=x"], os.listdir(table))


def test_log(trawl, checker, place):
    """XRay logs have tables of calls and functions, too."""
    exports = Exports(trawl)
    for table in ["calls", "functions"]:
        words = ["--table", table, "--image", ROOT / "corpus" / "xray" / "arguments.elf", ROOT / "corpus" / "xray" / "arguments.fdr.xray"]
        exports.write(place / table, *words)
        check_rows(checker, f"a log: {table}", parquet_reader.read_table(place / table), exports.rows(*words))


def test_pyarrow(trawl, checker, place):
    dataset = pytest.importorskip("pyarrow.dataset")
    pyarrow = pytest.importorskip("pyarrow")
    exports = Exports(trawl)
    for table in TABLES:
        for name in NAMES:
            exports.write(place / table, "--table", table, *of_trace(name))
        parts = pyarrow.schema([("trace", pyarrow.string()), ("lane", pyarrow.string())])
        read = dataset.dataset(place / table, format="parquet", partitioning=dataset.HivePartitioning(parts)).to_table()
        read.validate(full=True)
        types = {field.name: str(field.type) for field in read.schema}
        checker.check(f"{table}: types", types["run"] == "string" and types["run_time"] == "timestamp[us, tz=UTC]" and
                      types["image_address"] == "uint64", types)  # fmt: skip
        rows = read.to_pylist()
        checker.check(f"{table}: nobody misses a column", all(None not in (row["run"], row["trace"]) for row in rows))
        for name in NAMES:
            wanted = exports.rows("--table", table, *of_trace(name))
            check_rows(checker, f"{table}: {name}", [row for row in rows if row["trace"] == f"{name}.tarmac"], wanted)


def test_without_schema(trawl, checker, place):
    """The table of traces without names of cores is read without a schema."""
    table = pytest.importorskip("pyarrow.parquet")
    Exports(trawl).write(place / "table", "--table", "functions", *of_trace("sort-a64.it"))
    rows = table.read_table(place / "table").to_pylist()
    checker.check("its lane", len(rows) > 3 and {(row["trace"], row["lane"]) for row in rows} == {("sort-a64.it.tarmac", "-")}, rows[:1])


def duckdb_profile(duckdb, table, trace):
    found = duckdb.sql(f"""SELECT "function", sum(self)::BIGINT, sum(total)::BIGINT, sum(calls)::BIGINT
        FROM read_parquet('{table}/trace=*/lane=*/*.parquet', hive_partitioning = true)
        WHERE "trace" = '{trace}' GROUP BY ALL""").fetchall()  # fmt: skip
    return {row[0]: row[1:] for row in found}


def test_duckdb(trawl, checker, place):
    duckdb = pytest.importorskip("duckdb")
    exports, table = Exports(trawl), place / "functions"
    for name in NAMES:
        exports.write(table, "--table", "functions", *of_trace(name))
    for name in NAMES:
        found = duckdb_profile(duckdb, table, f"{name}.tarmac")
        checker.check(name, found == exports.profile(*of_trace(name)), found)


def blocks_of_document(language):
    """The code blocks in this language in docs/farm.md."""
    text = (ROOT / "docs" / "farm.md").read_text()
    return [block.partition("```")[0] for block in text.split(f"```{language}\n")[1:]]


def make_runs(exports, place):
    """Runs of two programs before and after Monday; the later runs of one program take three times as long. Returns
        which functions became slower according to the profiles, as the document's queries list them."""
    selves = {}
    for i, (name, is_new, factor) in enumerate([("sort-a64.it", False, 1), ("sort-a64.it", False, 1), ("sort-a64.it", True, 3),
                                                ("sort-a64.it", True, 3), ("fp-a64.it", False, 1), ("fp-a64.it", True, 1)]):  # fmt: skip
        image, trace = IMAGES / f"{name.split('.')[0]}.elf", place / f"run{i}.tarmac"
        lines = (TRACES / f"{name}.tarmac").read_text().splitlines()
        first = [line.partition(" ") for line in lines]
        lines = [f"{int(time) * factor} {rest}" if time.isdigit() else line for line, (time, _, rest) in zip(lines, first)]
        trace.write_text("\n".join([*lines, f"# run {i}"]) + "\n")
        os.utime(trace, (MONDAY + (i if is_new else -i - 1),) * 2)
        words = ["--image", image, trace]
        exports.write(place / "functions", "--table", "functions", *words, status=(0, 3))
        for function, (own, _, _) in exports.profile(*words).items():
            selves.setdefault(function, ([], []))[is_new].append(own)
    slower = []
    for function, (before, since) in selves.items():
        if before and since and 0 < statistics.median(before) < statistics.median(since):
            middle = statistics.median(before), statistics.median(since)
            slower.append((function, *middle, middle[1] / middle[0]))
    return sorted(slower, key=lambda row: row[1] - row[2])


def check_slower(checker, label, found, wanted):
    """Functions whose times grew by the same factor may be in any order."""
    found = [(row[0], float(row[1]), float(row[2]), round(float(row[3]), 9)) for row in found]
    wanted = [(row[0], float(row[1]), float(row[2]), round(row[3], 9)) for row in wanted]
    grown = [row[2] - row[1] for row in found]
    checker.check(label, len(found) > 3 and sorted(found) == sorted(wanted) and grown == sorted(grown, reverse=True), (found, wanted))


def test_slower_duckdb(trawl, checker, place):
    """The query of the document."""
    duckdb = pytest.importorskip("duckdb")
    wanted = make_runs(Exports(trawl), place)
    query = next(block for block in blocks_of_document("sql") if "read_parquet" in block)
    check_slower(checker, "DuckDB", duckdb.sql(query.replace("/data/functions", str(place / "functions"))).fetchall(), wanted)


def test_spark(trawl, checker, place, capfd):
    """The same with Spark; also sums over functions, which equal the profile."""
    pyspark = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    exports = Exports(trawl)
    wanted = make_runs(exports, place)
    for name in NAMES:
        exports.write(place / "all", "--table", "functions", *of_trace(name))
        for table in TABLES:
            exports.write(place / f"{table}-of", "--table", table, "--partition", name, *of_trace(name))
    spark = pyspark.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        with capfd.disabled():
            check_spark(checker, exports, place, spark, wanted)
    finally:
        spark.stop()


def check_spark(checker, exports, place, spark, wanted):
    code = next(block for block in blocks_of_document("python") if "SparkSession" in block)
    query = code.partition('spark.sql("""')[2].partition('"""')[0]
    spark.read.parquet(str(place / "functions")).createOrReplaceTempView("functions")
    check_slower(checker, "Spark", spark.sql(query).collect(), wanted)
    rows = spark.read.parquet(str(place / "all"))
    for name in NAMES:
        found = rows.where(rows["trace"] == f"{name}.tarmac").groupBy("function").agg({"self": "sum", "total": "sum", "calls": "sum"}).collect()
        found = {row["function"]: tuple(int(row[f"sum({key})"]) for key in ("self", "total", "calls")) for row in found}
        checker.check(f"Spark: {name}", found == exports.profile(*of_trace(name)), found)
    for table in TABLES:
        ours = parquet_reader.read_table(place / f"{table}-of")
        theirs = [row.asDict() for row in spark.read.parquet(str(place / f"{table}-of")).collect()]
        plain = [{key: str(value) for key, value in row.items() if key != "run_time"} for row in theirs]
        checker.check(f"Spark: all of {table}", as_texts(plain) == as_texts([{key: str(row[key]) for key in plain[0]} for row in ours]),
                      (plain[:1], ours[:1]))  # fmt: skip


def as_texts(rows):
    return sorted(repr(sorted(row.items())) for row in rows)
