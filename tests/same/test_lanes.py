"""As many cores as a trace may have, in one file: each has its own instructions and registers, and all share one memory."""

import json
import resource
import subprocess

LANES = 65536
ROUNDS = 2
TIMEOUT_S = 300
MEMORY_BYTES = 6 << 30  # of address space: twice what is used, and less than a state of all cores for each segment would take
ASKED = [0, 1, 255, 256, 4095, 4096, 40000, LANES - 1]


def limit():
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))


def run(trawl, place, *words):
    done = subprocess.run([trawl, *words], cwd=place, capture_output=True, text=True, timeout=TIMEOUT_S, preexec_fn=limit)
    return done.returncode, done.stdout, done.stderr


def value(lane, time):
    return (lane * 2654435761 + time) % 2**32


def make_trace(path):
    with open(path, "w") as file:
        for time in range(1, ROUNDS + 1):
            for lane in range(LANES):
                file.write(f"{time} clk cpu{lane} IT ({time}) {0x8000 + 4 * time:08x} e1a00000 A svc_s : NOP\n{time} clk cpu{lane} R r{time} {value(lane, time):08x}\n")
                if lane % 1000 == 255:
                    file.write(f"{time} clk cpu{lane} MW4 00001000 {lane:08x}\n")


def test_all_that_there_may_be(trawl, checker, quick_place):
    make_trace(quick_place / "t")
    plain = run(trawl, quick_place, "profile", "--memory-index", "t")
    cut = run(trawl, quick_place, "profile", "--memory-index", "--threads", "1", "--chunk-size", "60K", "t")
    checker.check("profile", plain[0] == 0 and plain[1] == cut[1], (plain[2], cut[2]))
    indexes = []
    for more in ([], ["--threads", "1", "--chunk-size", "60K"]):
        status, _, err = run(trawl, quick_place, "index", "-q", "--force-index", "--segment-events", "50000", "t", *more)
        checker.check(f"index {more}", status == 0, err)
        indexes.append((quick_place / "t.index").read_bytes())
    checker.check("the same index", indexes[0] == indexes[1] and len(indexes[0]) > 512)
    checker.check("verify", run(trawl, quick_place, "verify", "t")[0] == 0)
    checker.check("profile by the index", run(trawl, quick_place, "profile", "--no-index", "t")[1] == plain[1])
    told = json.loads(run(trawl, quick_place, "info", "t", "--format", "json")[1])
    checker.check("info", [row["lane"] for row in told["lanes"]] == [f"cpu{lane}" for lane in range(LANES)])
    checker.check("instructions of each", {row["instructions"] for row in told["lanes"]} == {ROUNDS})
    for lane in ASKED:
        name = f"cpu{lane}"
        for time in (1, ROUNDS):
            rows = json.loads(run(trawl, quick_place, "state", "t", "--lane", name, "--at", f"time:{time}", "--registers", "r1,r2", "--format", "json")[1])
            shown = json.dumps(rows)
            wanted = [f"0x{value(lane, at):08x}" for at in range(1, time + 1)]
            checker.check(f"{name} at {time}", all(word in shown for word in wanted) and (time == ROUNDS or f"0x{value(lane, ROUNDS):08x}" not in shown), shown)
        writes = json.loads(run(trawl, quick_place, "writes", "t", "r1", "--lane", name, "--all", "--format", "json")[1])
        checker.check(f"{name}: writes", len(writes) == 1, writes)
    writes = json.loads(run(trawl, quick_place, "writes", "t", "0x1000:4", "--all", "--format", "json")[1])
    checker.check("one memory", [row["lane"] for row in writes] == ROUNDS * [f"cpu{lane}" for lane in range(255, LANES, 1000)], writes[:3])
    status, _, err = run(trawl, quick_place, "vcd", "t", "-o", "t.vcd")
    checker.check("vcd", status == 1 and "waveforms hold at most 4096" in err and not (quick_place / "t.vcd").exists(), err)
    checker.check("diff", run(trawl, quick_place, "diff", "t", "t")[0] == 0)
