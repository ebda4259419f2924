"""How much is tried: some of what takes long in every run of the tests, all of it by `tests/run.py --thorough`."""

import os

VARIABLE = "TRAWL_TESTS"
IS_THOROUGH = os.environ.get(VARIABLE) == "thorough"


def pick(some, everything):
    return everything if IS_THOROUGH else some
