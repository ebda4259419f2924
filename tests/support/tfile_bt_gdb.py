"""Runs inside GDB, for tests: the stack at every frame of a trace file, as one line of JSON each, after "=": the PCs and names of its
frames, the innermost first.

`asked` is the path of a JSON file with the trace file, the image, and its load offset.
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
    except gdb.error:  # something necessary was not collected
        pass
    return frames


def main():
    with open(asked) as file:  # set on GDB's command line
        wanted = json.load(file)
    gdb.execute("set pagination off")
    # The image is loaded later, because GDB would search it for the places of tracepoints.
    gdb.execute(f"target tfile {wanted['file']}", to_string=True)
    gdb.execute(f"symbol-file {wanted['image']} -o {wanted['offset']}", to_string=True)
    for number in range(wanted["frames"]):
        gdb.execute("tfind none", to_string=True)
        gdb.execute(f"tfind {number}", to_string=True)
        print("=" + json.dumps(stack()))


main()
