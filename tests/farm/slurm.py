#!/usr/bin/env python3
"""Runs `trawl farm slurm` on a real Slurm, with one machine and three nodes, which this script starts. A task is killed in the middle of
its work, and so is a node with everything that runs on it. The index must be that of the whole trace, byte for byte.

    tools/zigw build slurm [-- --install]       root; needs Debian's slurm-wlm and munge, which --install installs
"""

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TRACES = ROOT / "corpus" / "traces"
NODES = 3
SHARDS = 9
DEADLINE_S = 240

CONFIGURATION = """ClusterName=trawl
SlurmctldHost={host}
SlurmctldPort={ports[0]}
AuthType=auth/munge
AuthInfo=socket={place}/munge.socket
CryptoType=crypto/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=1
ReturnToService=2
SlurmUser=root
SlurmdUser=root
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool.%n
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd.%n.pid
SlurmctldLogFile={place}/slurmctld.log
SlurmdLogFile={place}/slurmd.%n.log
SlurmdTimeout=10
KillWait=2
MpiDefault=none
MailProg=/bin/true
{nodes}
PartitionName=all Nodes=n[1-{count}] Default=YES MaxTime=INFINITE State=UP
"""

# Stops in the middle of the work, so that it can be killed there.
SLOW = """#!/bin/sh
case "$*" in *task*) ;; *) exec {trawl} "$@" ;; esac
{trawl} "$@" &
child=$!
sleep 0.02
pkill -STOP -P $child
sleep 4
pkill -CONT -P $child
wait $child
"""


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, is_right, detail=""):
        self.passed += bool(is_right)
        self.failed += not is_right
        print(f"{'ok' if is_right else 'FAILED'} {what}{'' if is_right else f': {detail}'}", flush=True)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    """Daemons in a separate directory, which end with it."""

    def __init__(self, place):
        self.place = place
        self.environment = {**os.environ, "SLURM_CONF": str(place / "slurm.conf")}
        self.daemons = {}

    def __enter__(self):
        ports = free_ports(1 + NODES)
        host = socket.gethostname().split(".")[0]
        nodes = "\n".join(f"NodeName=n{i} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[i]} CPUs=1 State=UNKNOWN" for i in range(1, NODES + 1))
        (self.place / "slurm.conf").write_text(CONFIGURATION.format(host=f"{host}(127.0.0.1)", place=self.place, ports=ports, nodes=nodes, count=NODES))
        for name in ("state", *(f"spool.n{i}" for i in range(1, NODES + 1))):
            (self.place / name).mkdir()
        key = self.place / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(1024))
        self.start("munged", "munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.place}/munge.socket",
                   f"--pid-file={self.place}/munged.pid", f"--log-file={self.place}/munged.log", f"--seed-file={self.place}/munged.seed")  # fmt: skip
        self.wait_for("munge", lambda: (self.place / "munge.socket").exists())
        self.start("slurmctld", "slurmctld", "-D")
        for i in range(1, NODES + 1):
            self.start(f"n{i}", "slurmd", "-D", "-N", f"n{i}")
        self.wait_for("nodes", lambda: self.ask("sinfo", "-h", "-N", "-o", "%T").split() == ["idle"] * NODES)
        return self

    def start(self, name, *words):
        program = shutil.which(words[0]) or f"/usr/sbin/{words[0]}"
        with open(self.place / f"{name}.out", "wb") as out:
            self.daemons[name] = subprocess.Popen([program, *words[1:]], env=self.environment, stdout=out, stderr=out, stdin=subprocess.DEVNULL)

    def ask(self, *words):
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=60, check=False)
        return done.stdout if done.returncode == 0 else ""

    def wait_for(self, what, is_so):
        end = time.monotonic() + DEADLINE_S
        while not is_so():
            if time.monotonic() > end:
                raise TimeoutError(f"{what}: {self.ask('squeue')}{self.ask('sinfo')}")
            time.sleep(0.2)

    def processes(self, node):
        """The processes of jobs on a node, found by their environment."""
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            try:
                variables = path.read_bytes().split(b"\0")
                command = (path.parent / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if f"SLURMD_NODENAME={node}".encode() in variables and f"SLURM_CONF={self.place}/slurm.conf".encode() in variables:
                found.append((int(path.parent.name), [word.decode() for word in command]))
        return found

    def kill_node(self, node):
        """Kills the daemon of a node, the supervisors of its jobs, and the jobs, as in a power failure."""
        self.daemons[node].kill()
        for pid, _ in self.processes(node):
            kill(pid)
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if f"slurmstepd: [{node}" in path.read_text() or (b"slurmstepd" in path.read_bytes() and node in self.node_of(path)):
                    kill(int(path.parent.name))
            except OSError:
                pass

    def node_of(self, path):
        return os.readlink(path.parent / "cwd")

    def __exit__(self, *_):
        for node in [f"n{i}" for i in range(1, NODES + 1)]:
            for pid, _ in self.processes(node):
                kill(pid)
        for daemon in reversed(self.daemons.values()):
            daemon.terminate()
        for daemon in self.daemons.values():
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def stopped(cluster, node):
    """The shard that is being indexed on a node, and its process, which is stopped."""
    for pid, command in cluster.processes(node):
        shard = next((word for word in command if word.startswith("--shard=")), None)
        if shard and len(command) > 1 and command[1] == "index":
            return pid, int(shard.removeprefix("--shard=").split("/")[0])
    return None


def make_trace(path):
    text = (TRACES / "recursion-a64.es.tarmac").read_bytes()
    with open(path, "wb") as file:
        for _ in range(60):
            file.write(text)


def run(tally, trawl, place):
    trace, farm = place / "run.tarmac", place / "farm"
    make_trace(trace)
    subprocess.run([trawl, "index", "-q", "--index", place / "whole", trace], check=True, timeout=DEADLINE_S)
    slow = place / "slow"
    slow.write_text(SLOW.format(trawl=trawl))
    slow.chmod(0o755)
    with Cluster(place) as cluster:
        refused = subprocess.run(["sbatch", "--test-only", "--array=1-3", "--wrap", "true"], env=cluster.environment, capture_output=True, timeout=60, check=False)
        tally.check("the cluster takes jobs", refused.returncode == 0, refused.stderr)
        words = [trawl, "farm", "slurm", "--dir", farm, "--shards", str(SHARDS), "--threads", "1", "--retries", "1", trace]
        shown = subprocess.run([*words, "--dry-run"], capture_output=True, text=True, timeout=60, check=False)
        tally.check("a dry run writes nothing", shown.returncode == 0 and not farm.exists() and "#SBATCH --array=1-9" in shown.stdout, shown)
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        tally.check("the scripts are written", done.returncode == 0 and "submit.sh" in done.stdout, done)
        for name in ("survey.sbatch", "map.sbatch", "merge.sbatch"):
            test = subprocess.run(["sbatch", "--test-only", farm / name], env=cluster.environment, capture_output=True, timeout=60, check=False)
            tally.check(f"sbatch takes {name}", test.returncode == 0, test.stderr)
        script = farm / "map.sbatch"
        script.write_text(script.read_text().replace(f"'{trawl}'", str(slow)))
        submitted = subprocess.run(["sh", farm / "submit.sh"], env=cluster.environment, capture_output=True, text=True, timeout=60, check=False)
        tally.check("the jobs are submitted", submitted.returncode == 0 and "merge: job" in submitted.stdout, submitted)
        found = []
        cluster.wait_for("tasks on n1 and n2 at a time", lambda: found.append((stopped(cluster, "n1"), stopped(cluster, "n2"))) or all(found[-1]))
        (pid, killed), (_, lost) = found[-1]
        surveys = sorted(path.name for path in (farm / "surveys").iterdir())
        tally.check("the pieces are surveyed", surveys == [f"1.{i}" for i in range(1, SHARDS)], surveys)
        kill(pid)
        cluster.kill_node("n2")
        print(f"killed: the task of shard {killed}, and node n2 with shard {lost}", flush=True)
        tally.check("neither has a part", not (farm / "parts" / f"1.{killed}").exists() and not (farm / "parts" / f"1.{lost}").exists())
        cluster.wait_for("the end of all jobs", lambda: not cluster.ask("squeue", "-h").strip())
        log = (farm / "logs" / f"map-{killed}.log").read_text()
        tally.check("the log says what happened to the task", "signal 9" in log, log)
        tally.check("the node is down", "down" in cluster.ask("sinfo", "-h", "-n", "n2", "-o", "%T"), cluster.ask("sinfo"))
        tally.check("all parts are there", len(list((farm / "parts").iterdir())) == SHARDS, list((farm / "parts").iterdir()))
        merged = place / "run.tarmac.index"
        tally.check("the index is the whole one", merged.exists() and merged.read_bytes() == (place / "whole").read_bytes(),
                    (farm / "logs" / "merge.log").read_text())  # fmt: skip
        logs = sorted(path.name for path in (farm / "logs").iterdir())
        wanted = [f"{name}-{i}.log" for name in ("survey", "map") for i in range(1, SHARDS + 1)] + ["merge.log"]
        tally.check("a log for each piece and shard", logs == sorted(wanted), logs)
        (farm / "parts" / "1.4").unlink()
        again = subprocess.run([*words, "--submit"], env=cluster.environment, capture_output=True, text=True, timeout=60, check=False)
        tally.check("submitted again by trawl itself", again.returncode == 0 and "merge: job" in again.stdout, again)
        merged.unlink()
        cluster.wait_for("the end of all jobs", lambda: not cluster.ask("squeue", "-h").strip())
        tally.check("only what was missing is made", merged.exists() and merged.read_bytes() == (place / "whole").read_bytes())
        log = (farm / "logs" / "map-5.log").read_text()
        tally.check("the others were there", "is there already" in log, log)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("prefix", type=Path)
    parser.add_argument("--install", action="store_true", help="get Slurm and munge by apt-get")
    arguments = parser.parse_args()
    tally = Tally()
    if arguments.install and not shutil.which("sbatch"):
        subprocess.run(["apt-get", "install", "-y", "-q", "slurm-wlm", "munge"], env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, check=True)
    if not shutil.which("sbatch") or os.geteuid() != 0:
        print("SKIPPED Slurm: it is not there (--install), or this is not root\n0 passed, 0 failed, 1 skipped")
        return 0
    with tempfile.TemporaryDirectory(prefix="trawl-slurm-") as name:
        try:
            run(tally, str((arguments.prefix / "bin" / "trawl").resolve()), Path(name))
        except TimeoutError as error:
            tally.check("in time", False, error)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
