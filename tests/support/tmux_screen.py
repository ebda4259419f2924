"""A program in a terminal of tmux: keys go in, the text of the screen comes out."""

import itertools
import os
import shlex
import subprocess
import time
from pathlib import Path

LOOKS_ALIKE = 3


class Screen:
    """Runs `command` (a list) at a size. Keys are those of tmux: "a", "Up", "C-l", "Enter"."""

    numbers = itertools.count(1) # next() of it is one step, whatever threads there are

    def __init__(self, command, width=80, height=24, cwd=None, env=None, scrap=None):
        self.socket = f"trawl-{os.getpid()}-{next(Screen.numbers)}"
        self.scrap = scrap
        settings = {"LC_ALL": "C.UTF-8", "TERM": "screen-256color", "XDG_CONFIG_HOME": "/nonexistent", **(env or {})}
        words = " ".join(f"{name}={shlex.quote(value)}" for name, value in settings.items())
        shown = f"env -u NO_COLOR -u CLICOLOR_FORCE -u COLUMNS -u LINES {words} {shlex.join(command)}; echo \"[ended $?]\"; sleep 1000"
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(width), "-y", str(height), "bash", "-c", shown, cwd=cwd)
        self.tmux("set", "-g", "status", "off")
        self.shell = self.tmux("display", "-p", "#{pane_pid}").strip()
        self.tmux("resize-window", "-x", str(width), "-y", str(height))

    def tmux(self, *arguments, cwd=None):
        run = subprocess.run(["tmux", "-L", self.socket, *arguments], cwd=cwd, capture_output=True, text=True, check=False, timeout=20)
        return run.stdout

    def capture(self, with_styles=False):
        return self.tmux("capture-pane", "-p", *(["-e"] if with_styles else []))

    def look(self):
        """The screen's text and its cursor."""
        text, _, cursor = self.tmux("capture-pane", "-p", ";", "display", "-p",
                                    "#{cursor_x},#{cursor_y},#{cursor_flag}").rstrip("\n").rpartition("\n")
        return text + "\n", cursor

    def is_idle(self):
        """Whether every thread of the program sleeps: one that has a key to handle is not asleep, however long it waits on a busy
        machine."""
        try:
            programs = Path(f"/proc/{self.shell}/task/{self.shell}/children").read_text().split()
            states = [stat.read_text().rpartition(")")[2].split()[0]
                      for program in programs for stat in Path(f"/proc/{program}/task").glob("*/stat")]
        except OSError:  # a thread ended while it was looked at
            return False
        return all(state in "SZ" for state in states)

    def settle(self, changed_from=None, seconds=20.0):
        """Waits until the program is idle and the screen stays as it is for longer than the program's own ticks (and
        first, a little, that it is no longer `changed_from`).

        A running search shows its progress: the screen is not final."""
        end = time.monotonic() + seconds
        patience = time.monotonic() + 0.25
        last, alike = None, 0
        while time.monotonic() < end:
            is_idle = self.is_idle()
            now = self.look()
            alike = alike + 1 if is_idle and now == last and "% searched" not in now[0] else 0
            if alike >= LOOKS_ALIKE and (now != changed_from or time.monotonic() > patience):
                return now
            last = now
            time.sleep(0.02)
        return last

    def keys(self, *keys):
        before = self.look()
        for key in keys:
            self.tmux("send-keys", *(["-l", key[1:]] if key.startswith("'") else [key]))
        return self.settle(before)

    def resize(self, width, height):
        before = self.look()
        self.tmux("resize-window", "-x", str(width), "-y", str(height))
        return self.settle(before)

    def wait_for(self, text, seconds=20.0):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if text in self.capture():
                return True
            time.sleep(0.03)
        return False

    def close(self):
        self.tmux("kill-server")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
