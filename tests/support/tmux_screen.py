"""A program in a tmux terminal: tests send keys and read the text of the screen."""

import itertools
import os
import select
import shlex
import subprocess
import time
from pathlib import Path

LOOKS_ALIKE = 3
ANSWER_S = 20
STARTING_COMMANDS = 3  # new-session, set, attach


def quoted(word):
    """Quotes a word of a command for tmux."""
    return "'" + word.replace("'", "'\\''") + "'"


class Screen:
    """Runs `command` (a list) in a terminal of a given size. Keys have tmux's names: "a", "Up", "C-l", "Enter"."""

    numbers = itertools.count(1) # next() is atomic

    def __init__(self, command, width=80, height=24, cwd=None, env=None, scrap=None):
        self.socket = f"trawl-{os.getpid()}-{next(Screen.numbers)}"
        self.scrap = scrap
        settings = {"LC_ALL": "C.UTF-8", "TERM": "screen-256color", "XDG_CONFIG_HOME": "/nonexistent", **(env or {})}
        words = " ".join(f"{name}={shlex.quote(value)}" for name, value in settings.items())
        shown = f"env -u NO_COLOR -u CLICOLOR_FORCE -u COLUMNS -u LINES {words} {shlex.join(command)}; echo \"[ended $?]\"; sleep 1000"
        # One client stays and sends all commands: starting one for each look would take longer than most programs.
        session = ["new-session", "-d", "-x", str(width), "-y", str(height), "bash", "-c", shown, ";", "set", "-g", "status", "off"]
        self.client = subprocess.Popen(["tmux", "-L", self.socket, "-f", "/dev/null", "-C", *session, ";", "attach", "-f", "no-output,ignore-size"],
                                       cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # fmt: skip
        self.unread = b""
        for _ in range(STARTING_COMMANDS):
            self.answer()
        self.shell = self.tmux("display", "-p", "#{pane_pid}").strip()
        self.tmux("resize-window", "-x", str(width), "-y", str(height))

    def tmux(self, *arguments):
        """The output of a command of tmux."""
        return self.ask(arguments)[0]

    def ask(self, *commands):
        """The outputs of several commands that are sent at once."""
        self.client.stdin.write("".join(" ".join(map(quoted, words)) + "\n" for words in commands).encode())
        self.client.stdin.flush()
        return [self.answer() for _ in commands]

    def answer(self):
        """The text between `%begin` and the `%end` or `%error` with the same numbers; other events are ignored."""
        numbers, lines = None, []
        while (line := self.line()) is not None:
            if numbers is None:
                numbers = line.partition(b" ")[2] if line.startswith(b"%begin ") else None
            elif line in (b"%end " + numbers, b"%error " + numbers):
                break
            else:
                lines.append(line)
        return "".join(line.decode(errors="replace") + "\n" for line in lines)

    def line(self):
        """The next line of tmux's output; None: it has ended."""
        while b"\n" not in self.unread:
            is_there, _, _ = select.select([self.client.stdout], [], [], ANSWER_S)
            more = os.read(self.client.stdout.fileno(), 1 << 16) if is_there else b""
            if not more:
                return None
            self.unread += more
        line, _, self.unread = self.unread.partition(b"\n")
        return line

    def capture(self, with_styles=False):
        return self.tmux("capture-pane", "-p", *(["-e"] if with_styles else []))

    def look(self):
        """The screen's text and its cursor."""
        text, cursor = self.ask(["capture-pane", "-p"], ["display", "-p", "#{cursor_x},#{cursor_y},#{cursor_flag}"])
        return text, cursor.rstrip("\n")

    def is_idle(self):
        """Whether all threads of the program sleep: a thread that still has to handle a key does not sleep, even if it waits long on a
        busy machine."""
        try:
            programs = Path(f"/proc/{self.shell}/task/{self.shell}/children").read_text().split()
            states = [stat.read_text().rpartition(")")[2].split()[0]
                      for program in programs for stat in Path(f"/proc/{program}/task").glob("*/stat")]
        except OSError:  # a thread has ended meanwhile
            return False
        return all(state in "SZ" for state in states)

    def settle(self, changed_from=None, seconds=20.0):
        """Waits until the program is idle and the screen does not change for longer than the program's own ticks. First waits a little
        until it is no longer `changed_from`.

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

    def wait_for(self, text, seconds=20.0, other=None):
        """Waits until the text, or `other`, is on the screen."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            shown = self.capture()
            if text in shown or (other and other in shown):
                return True
            time.sleep(0.03)
        return False

    def close(self):
        self.client.stdin.write(b"kill-server\n")
        self.client.communicate()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
