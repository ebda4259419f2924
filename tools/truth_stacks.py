#!/usr/bin/env python3
"""Computes from the truth of a trace (tracer --truth, corpus/README.md) what an unwinder should find.

    truth_stacks.py run.truth >run.stacks

Writes a line for each instruction after which the stack is a different one: the number of the instruction, and the frames that registers and
memory show after it, from the innermost out: NAME@ENTRY, then NAME@PC of each caller, where PC is the address at which the caller continues.
Functions that ended by a tail call are not shown. The truth has records only of instructions that do not transfer control (record all of
them with --truth-every 1). After an instruction that does, the stack is that of the next record. If several such instructions follow each
other, the stacks after all but the last are '?'.
"""

import json
import sys


def frames(record):
    stack, found, at = record["stack"], [], 0
    pc = stack[0]["entry"]
    while at < len(stack):
        # The function that was called is the lowest one of a chain of tail calls.
        found.append(f"{stack[at]['name']}@{pc}")
        pc = stack[at]["return"]
        while stack[at]["kind"] == "tail":
            at += 1
        at += 1
    return found


def main():
    last, expected = None, 0

    def show(insn, now):
        nonlocal last
        if now != last:
            print(insn, *now)
        last = now

    with open(sys.argv[1], encoding="ascii") as lines:
        for line in lines:
            record = json.loads(line)
            if "stack" not in record:
                continue
            assert record["depth"] == len(record["stack"]), "deeper than the truth tells"
            insn, now = record["insn"], frames(record)
            if insn > expected + 1:
                show(expected, ["?"])
            show(max(insn - 1, expected), now)
            expected = insn + 1


if __name__ == "__main__":
    main()
