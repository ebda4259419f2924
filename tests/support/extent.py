"""How much is tested: a sample of slow cases in every run of the tests, all of them with `tests/run.py --thorough`."""

import os

VARIABLE = "TRAWL_TESTS"
IS_THOROUGH = os.environ.get(VARIABLE) == "thorough"


def pick(some, everything):
    return everything if IS_THOROUGH else some
