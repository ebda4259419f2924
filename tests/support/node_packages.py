"""Packages of npm that tests use if they are installed, globally or where NODE_PATH points."""

import functools
import os
import shutil
import subprocess
from pathlib import Path

TIMEOUT_S = 60


@functools.cache
def places():
    found = os.environ.get("NODE_PATH", "").split(":")
    if shutil.which("npm"):
        run = subprocess.run(["npm", "root", "-g"], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        found.append(run.stdout.strip())
    return [Path(place) for place in found if place]


def find_package(name):
    """The path of a package; None: not installed."""
    return next((place / name for place in places() if (place / name).exists()), None)


def browser_tools():
    """Chromium, node and playwright-core, and which of them are missing."""
    tools = {"chromium": shutil.which("chromium"), "node": shutil.which("node"),
             "playwright-core": find_package("playwright-core")}
    return list(tools.values()), [name for name, found in tools.items() if not found]
