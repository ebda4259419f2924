"""What is done in the browser, for its tests and for comparing it with another.

A scenario: its name, the trace, the image ("" for none), width and height, options, and keys as tmux knows them;
those that begin with ' are typed as they are. The screen behind the last key is what counts.
"""

A64, T32, A32, BE = "sort-a64", "sort-t32", "sort-a32", "sort-a32be"


def typed(text):
    return ["'" + text, "Enter"]


def go(line):
    return ["l", *typed(str(line))]


SCENARIOS = [
    ("start", "sort-a64.it", A64, 80, 24, [], []),
    ("down", "sort-a64.it", A64, 80, 24, [], ["Down", "Down", "Down"]),
    ("up", "sort-a64.it", A64, 80, 24, [], ["Down", "Down", "Down", "Up"]),
    ("home", "sort-a64.it", A64, 80, 24, [], [*go(900), "Home"]),
    ("end", "sort-a64.it", A64, 80, 24, [], ["End"]),
    ("recentred", "sort-a64.it", A64, 80, 30, [], [*go(900), "C-l", "C-l"]),
    ("line", "sort-a64.it", A64, 80, 24, [], go(900)),
    ("time", "sort-a64.it", A64, 80, 24, [], ["t", *typed("479")]),
    ("visit-of-symbol", "sort-a64.it", A64, 90, 30, [], ["p", *typed("swap"), "n"]),
    ("visit-before", "sort-a64.it", A64, 90, 30, [], [*go(1500), "P", *typed("sym::swap + 4")]),
    ("visit-of-register", "sort-a64.it", A64, 90, 30, [], [*go(1500), "p", *typed("lr")]),
    ("folded", "sort-a64.it", A64, 90, 36, [], [*go(1500), "-"]),
    ("folded-twice", "sort-a64.it", A64, 90, 36, [], [*go(1500), "-", "-"]),
    ("unfolded-level", "sort-a64.it", A64, 90, 36, [], [*go(1500), "-", "-", "+"]),
    ("unfolded", "sort-a64.it", A64, 90, 36, [], [*go(1500), "-", "Up", "Up", "]"]),
    ("folded-all", "sort-a64.it", A64, 90, 36, [], [*go(1500), "{"]),
    ("unfolded-all", "sort-a64.it", A64, 90, 36, [], [*go(1500), "{", "}"]),
    ("hidden", "sort-a64.it", A64, 90, 36, [], [*go(1500), "{", *go(700)]),
    ("hidden-unfolded", "sort-a64.it", A64, 90, 36, [], [*go(1500), "{", *go(700), "+", "+", "+"]),
    ("no-call", "sort-a64.it", A64, 80, 24, [], ["-"]),
    ("nothing-folded", "sort-a64.it", A64, 80, 24, [], ["+"]),
    ("selected", "sort-a64.it", A64, 80, 24, [], [*go(1500), "a", "a"]),
    ("last-write-of-register", "sort-a64.it", A64, 80, 24, [], [*go(1500), "Down", "Down", "a", "a", "Enter"]),
    ("last-write-of-memory", "sort-a64.it", A64, 80, 24, [], ["t", *typed("728"), "a", "a", "Enter"]),
    ("single", "fp-a64.it", "fp-a64", 80, 40, [], [*go(1200), "S"]),
    ("double", "fp-a64.it", "fp-a64", 80, 40, [], [*go(1200), "D", "r"]),
    ("single-t32", "fp-t32.it", "fp-t32", 100, 40, [], [*go(900), "S", "D"]),
    ("neon", "neon-a64.it", "neon-a64", 100, 40, [], [*go(600), "V"]),
    ("mve", "sort-t32.it", T32, 80, 40, [], ["M"]),
    ("memory", "sort-a64.it", A64, 90, 36, [], [*go(1500), "m", *typed("0x81010")]),
    ("memory-of-symbol", "sort-a64.it", A64, 90, 36, [], [*go(1500), "m", *typed("numbers+8")]),
    ("memory-followed", "sort-a64.it", A64, 90, 36, [], [*go(900), "m", *typed("sp"), *go(1500), "Down"]),
    ("memory-not-followed", "sort-a64.it", A64, 90, 36, [], [*go(900), "m", *typed("sp"), "Tab", "Tab", "F", "Tab", *go(1500)]),
    ("memory-written", "sort-a64.it", A64, 90, 36, [], [*go(1500), "m", *typed("0x81010"), "Tab", "Tab", "Right", "4"]),
    ("memory-larger", "sort-a64.it", A64, 90, 36, [], [*go(1500), "m", *typed("0x81010"), "Tab", "Tab", ">", ">", "Down"]),
    ("memory-locked", "sort-a64.it", A64, 90, 36, [], ["m", *typed("0x81010"), "Tab", "Tab", "t", *typed("700")]),
    ("memory-marked", "sort-a64.it", A64, 90, 36, [],
     [*go(1500), "m", *typed("0x81000"), "Tab", "Tab", "d", *typed("1400"), "]", "]", "]"]),
    ("memory-closed", "sort-a64.it", A64, 90, 36, [], ["m", *typed("0x81010"), "Tab", "Tab", "x"]),
    ("register-selected", "sort-a64.it", A64, 80, 30, [], [*go(1500), "Tab", "Down", "Down", "Right"]),
    ("register-written", "sort-a64.it", A64, 80, 30, [], [*go(1500), "Tab", "Down", "Right", "Enter"]),
    ("register-symbol", "sort-a64.it", A64, 80, 30, [], [*go(1500), "Tab", "Up", "Left", "Left", "a", "Left"]),
    ("register-locked", "sort-a64.it", A64, 80, 30, [], [*go(1500), "Tab", "C-l", "Tab", "Home"]),
    ("register-locked-to-line", "sort-a64.it", A64, 80, 30, [], [*go(1500), "Tab", *go(300)]),
    ("registers-smaller", "sort-a64.it", A64, 80, 30, [], ["Tab", "<", "<", "<", "Down", "Down"]),
    ("without-image", "sort-a64.it", "", 80, 24, [], [*go(1500), "F7"]),
    ("without-targets", "sort-a64.it", A64, 80, 24, [], [*go(1500), "F7"]),
    ("no-number", "sort-a64.it", A64, 80, 24, [], ["t", *typed("main")]),
    ("no-name", "sort-a64.it", A64, 80, 24, [], ["p", *typed("nosuch")]),
    ("no-expression", "sort-a64.it", A64, 80, 24, [], ["m", *typed("1 +")]),
    ("no-address", "sort-a64.it", A64, 80, 24, [], ["m", "Enter"]),
    ("prompt", "sort-a64.it", A64, 80, 24, [], ["m", "'one two", "C-w", "'three", "C-h"]),
    ("prompt-cancelled", "sort-a64.it", A64, 80, 24, [], ["m", "'one", "C-g"]),
    ("es-t32", "sort-t32.es", T32, 80, 30, [], [*go(1000), "Down"]),
    ("es-a64", "sort-a64.es", A64, 100, 30, [], [*go(1000), "Down", "-"]),
    ("it-a32", "sort-a32.it", A32, 100, 30, [], [*go(1000), "Down", "-"]),
    ("es-a32", "sort-a32.es", "", 100, 30, [], [*go(1000), "Up"]),
    ("big-endian", "sort-a32be.it", BE, 90, 30, [], [*go(1000), "m", *typed("numbers")]),
    ("big-endian-told", "sort-a32be.es", "", 90, 30, ["--bi"], [*go(1000), "m", *typed("r1")]),
    ("exceptions", "exceptions-a64.it", "exceptions-a64", 90, 30, [], ["e", "e", "E"]),
    ("exceptions-t32", "exceptions-t32.es", "exceptions-t32", 90, 30, [], ["e", "e"]),
    ("conditional", "conditional-t32.es", "conditional-t32", 90, 30, [], [*go(150)]),
    ("host-calls", "semihosting-a64.it", "semihosting-a64", 90, 36, [], ["End", "m", *typed("sp")]),
    ("deep", "recursion-a64.it", "recursion-a64", 90, 30, [], [*go(700), "-", "-", "-"]),
    ("load-offset", "sort-a64.it", A64, 90, 30, ["--load-offset=0x100"], [*go(1500)]),
    ("narrow", "sort-a64.it", A64, 30, 40, [], [*go(1500), "Down"]),
    ("wide", "sort-a64.it", A64, 160, 50, [], [*go(1500), "{", "V"]),
]

# Where we are not as the reference, because it is wrong or lacks it: only looked at by people.
OWN_SCENARIOS = [
    ("callees-folded", "sort-a64.it", A64, 90, 36, [], [*go(1500), "["]),
    ("page-down", "sort-a64.it", A64, 80, 24, [], ["PageDown", "PageDown"]),
    ("page-up", "sort-a64.it", A64, 80, 24, [], [*go(900), "PageUp"]),
    ("page-in-tall-event", "tall", "", 80, 30, [], ["PageDown", "PageDown", "PageDown"]),
    ("up-to-first", "odd", "", 80, 24, [], ["Down", "Up", "Up"]),
    ("visit-of-first", "odd", "", 80, 24, [], ["End", "P", *typed("0x8000")]),
    ("visit-beside", "odd", "", 80, 24, [], ["p", *typed("0x8008"), "n"]),
    ("no-visit", "odd", "", 80, 24, [], ["End", "p", *typed("0x8000")]),
    ("no-line", "odd", "", 80, 24, [], ["l", *typed("4000")]),
    ("no-time", "odd", "", 80, 24, [], ["t", *typed("4000")]),
    ("large-number", "odd", "", 80, 24, [], ["l", *typed("99999999999999999999")]),
    ("large-address", "odd", "", 80, 24, [], ["m", *typed("0x11111111111111111")]),
    ("escape", "odd", "", 80, 24, [], ["l", "'12", "Escape"]),
    ("odd-characters", "odd", "", 80, 24, [], ["End"]),
    ("continued-row", "odd", "", 80, 30, [], [*go(8), "a", "a", "a"]),
    ("short", "sort-a64.it", A64, 80, 12, [], [*go(1500), "V", "m", *typed("sp")]),
    ("address-space-ends", "odd", "", 90, 30, [], ["m", *typed("0xfffffffffffffff8"), "Tab", "Tab", "Down"]),
    ("unknown-address", "sort-a64.it", A64, 90, 30, [], ["m", *typed("sp")]),
    ("help", "sort-a64.it", "", 80, 24, [], ["F1"]),
    ("help-scrolled", "sort-a64.it", "", 40, 24, [], ["F1", "PageDown"]),
    ("help-of-registers", "sort-a64.it", "", 80, 30, [], ["Tab", "F1"]),
    ("help-of-memory", "odd", "", 80, 30, [], ["m", *typed("sp"), "Tab", "Tab", "F1"]),
    ("help-of-prompt", "odd", "", 80, 24, [], ["t", "F1"]),
]
