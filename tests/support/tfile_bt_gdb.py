"""Runs inside GDB, for tests: the stack at every frame of a trace file, one line of JSON each after
a "=": the PCs and names of its frames, the innermost first.

`asked` names a JSON file: the trace file, the image, and what that is moved by.
"""

import json

import gdb

FRAMES_MAX = 200


def stack():
    frames = []
    try:
        frame = gdb.newest_frame()
        while frame is not None and len(frames) < FRAMES_MAX:
            frames.append([frame.pc(), frame.name()])
            frame = frame.older()
    except gdb.error:  # what it would need was not collected
        pass
    return frames


def main():
    with open(asked) as file:  # set on GDB's command line
        wanted = json.load(file)
    gdb.execute("set pagination off")
    # The image comes later: GDB would look for the places of tracepoints in it.
    gdb.execute(f"target tfile {wanted['file']}", to_string=True)
    gdb.execute(f"symbol-file {wanted['image']} -o {wanted['offset']}", to_string=True)
    for number in range(wanted["frames"]):
        gdb.execute("tfind none", to_string=True)
        gdb.execute(f"tfind {number}", to_string=True)
        print("=" + json.dumps(stack()))


main()
