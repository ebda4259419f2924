"""Command lines that are wrong, odd, or ask for help; and those with intended differences."""

from commands import IMAGE, OUTPUT, TOOLS, TRACE, Command

ANY_TOOL = [
    "", "--help", "--help=x", "--help {t}", "{t} --help", "{t} {t}x --help", "--bogus --help",
    "--help --bogus", "--debug=list --help", "--debug=x --help", "--bogus", "--bogus=3", "--hel",
    "-h", "-x", "-vx {t}", "-qvx", "-v=3", "---x", "---", "-", "-- -", "--", "-- {t}", "-- --help",
    "{t} -- --help", "{t} {t}", "--=x", "--li=", "--li=x {t}", "--bi=1", "--verbose=1 {t}",
    "--quiet=", "--implicit-thumb=1", "--show-progress-meter=1", "--load-offset", "--image",
    "--debug", "--index", "{t} --image", "--debug= {t}", "--debug=x {t}", "--debug=x missing",
    "--debug=LIST {t}", "--debug x", "--debug list {t}", "--debug=list", "--debug=list missing",
    "--debug=list --image=missing {t}", "--colour {t}", "--no-colour",
    "--image=missing {t}", "--image= {t}", "--image={t} {t}", "--image=dir {t}",
    "--image=empty {t}", "--image --li {t}", "missing --image=missing", "--index=x missing",
    "--index=x --image=missing {t}", "missing", "dir", "empty", "{t}/x", "dir/../{t}", "./{t}",
    "/dev/null", "nodir/x", "--load-offset=0x {t}", "--load-offset=12abc {t}",
    "--load-offset=-0x10 {t}", "--load-offset=+5 {t}", "--load-offset -1 {t}",
    "--load-offset=0xffffffffffffffff {t}", "--load-offset=010 {t} --image={i}", "-o", "--output",
    "--li --bi {t}", "--image={i} --bi {t}", "--image={i} --li {t}", "--bi --li --image {i} {t}",
    "--image=missing --image= {t}", "--image= --image=missing {t}", "--index=a --index= {t}",
    "--LI {t}", "-V", "-vqv {t}", "-q -v --verbose --quiet {t}", "--li"]
CALLINFO = [
    "{t}", "missing", "{t} main", "{t} 0x8000 main", "--image={i} {t} main", "--no-offsets {t} main",
    "missing main", "{t} -- -x", "{t} --bogus main", "{t} main -o", "{t} main --index=x",
    "--li {t} --bi main", "{t} 0x8000 -- 0x8004 --li", "{t} 0x 0X8000 8000 0x8000g 0x08000",
    "{t} 0x00000000000000000000008000 0xffffffffffffffff", "{t} main --image={i} --load-offset=0x10",
    "{t} -", "{t} main ---"]
OTHERS = ["--no-offsets {t}", "--no-offsets=1 {t}", "{t} --no-offsets --image={i}"]
FLAMEGRAPH = ["-o {o} {t}", "-o{o} {t}", "--output={o} {t}", "{t} --output {o}", "-vqo{o} {t}",
              "-o nodir/x -o {o} {t}", "-o nodir/x {t}", "-o {o} missing", "-o", "--output", "-ov"]
VCD = ["--no-date -o {o} {t}", "{t} --no-date -vqo{o}", "--no-date --output={o} {t} --no-offsets",
       "-o nodir/x {t}", "-o nodir/x -o {o} {t} --no-date", "-o {o} missing", "-o", "--output", "-ov",
       "--no-date=1 {t}", "--use-tarmac-timestamps --no-date -o {o} {t}",
       "--use-tarmac-timestamps=1 {t}", "--no-offsets=1 {t}"]


def expand(text, empty_argument=None):
    """Return the arguments of a command line written as a pattern."""
    words = text.replace("{t}", TRACE).replace("{i}", IMAGE).replace("{o}", OUTPUT).split()
    return words + ([empty_argument] if empty_argument is not None else [])


def command_lines():
    """Return all command lines to compare, over all tools."""
    commands = []
    for tool in TOOLS:
        texts = ANY_TOOL + {"callinfo": CALLINFO, "flamegraph": OTHERS + FLAMEGRAPH,
                            "vcd": VCD}.get(tool, OTHERS)
        for text in texts:
            output = OUTPUT if "{o}" in text else None
            commands.append(Command(tool, expand(text), output=output))
        commands.append(Command(tool, expand("", "")))
        commands.append(Command(tool, expand("{t}", "")))
    return commands + intended_lines()


def intended_lines():
    """Return command lines for which trawl is intended to do better, and the expected results."""
    commands = []
    for tool in TOOLS:
        plain = expand("{t} main" if tool == "callinfo" else "{t}")
        for option in ("--force-index", "--memory-index"):
            commands.append(Command(tool, [option] + plain, plain, "index option accepted"))
    return commands
