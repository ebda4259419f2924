"""The same as viewer.c, in Python: python3 viewer.py run.tarmac prog.elf pc:main"""

import sys

import trawl


def show(name, table, *columns):
    """Print some columns of a report."""
    print(name)
    for row in table.rows():
        print("", *(row[column] for column in columns))


def main(path, image, position):
    """Where the time went, and the stack and registers at a point."""
    trace = trawl.open(path, [image], in_memory=True)
    event = trace.at(position)
    show("profile", trace.profile(top=5), "self", "total", "calls", "function")
    show("stack", trace.stack(event), "frame", "pc", "function")
    state = trace.state(event, lane=0)
    for name in ("x0", "x1", "sp"):
        if state.get(name) is not None:
            print(name, state[name])


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except trawl.TrawlError as error:
        sys.exit(f"viewer: {error}")
