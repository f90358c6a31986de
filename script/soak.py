"""The trials of script/soak, which builds the programs first."""

import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("TABLERO_BUILD", ROOT / "target" / "debug"))
PROGRAM = str(BUILD / "tablero")
RESULTS = ROOT / "target" / "soak"
HANG = 300.0  # seconds; nothing here takes as long, even on a busy machine


class Table:
    """Tries and failures by kind."""

    def __init__(self):
        self.rows = {}

    def add(self, kind, failures=(), tries=1, note=None):
        row = self.rows.setdefault(kind, [0, 0, ""])
        row[0] += tries
        row[1] += len(failures)
        row[2] = note or row[2]
        for failure in failures:
            text = f"FAILED {kind}: {failure}"
            print(text, flush=True)
            with open(RESULTS / "failures.txt", "a") as file:
                file.write(text + "\n")

    def markdown(self):
        lines = ["| kind | tries | failures | |", "|---|---:|---:|---|"]
        lines += [f"| {kind} | {n:,} | {bad} | {note} |" for kind, (n, bad, note) in self.rows.items()]
        return "\n".join(lines) + "\n"


def start(arguments, **more):
    """Starts a program in a process group of its own."""
    more = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
    return subprocess.Popen([str(a) for a in arguments], start_new_session=True, text=True, errors="replace", **more)


def finish(process, wait=HANG):
    """The status and output of a process; killed and None if it hangs."""
    try:
        out, err = process.communicate(timeout=wait)
        return process.returncode, out or "", err or ""
    except subprocess.TimeoutExpired:
        kill(process)
        out, err = process.communicate()
        return None, out or "", err or ""


def kill(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def problems(status, out, err, allowed):
    """What is wrong with how a process ended."""
    if status is None:
        return ["hangs"]
    if "panicked" in err or "panicked" in out:
        return [err.strip()[-500:]]
    if status not in allowed:
        return [f"status {status}: {err.strip()[-300:]}"]
    return []


# Readers


def soak_readers(table, end, rng, work):
    """Fuzz targets in one process, then files through the command line."""
    seconds = max(5, (end - time.monotonic()) * 0.7)
    failures = RESULTS / "fuzz-failures"
    fuzz = [BUILD / "tablero-fuzz", "--seconds", seconds, "--seed", rng.randrange(1 << 32), "--failures", failures]
    status, out, err = finish(start(fuzz), seconds + HANG)
    if status is None:
        table.add("readers", [f"hangs in {err.strip().splitlines()[-1:]}"], 0)
    for line in out.splitlines():
        row = json.loads(line)
        group = row["target"].split("/")[0]
        table.add(f"mutated input: {group}", [row["target"]] * row["failures"], row["inputs"])
    samples = [path for path in (ROOT / "crates/tablero/tests/data").iterdir() if path.is_file()]
    samples += [path for path in (ROOT / "weights").iterdir() if path.suffix in (".genes", ".evl")]
    while time.monotonic() < end:
        sample = rng.choice(samples)
        file = work / f"mutated{sample.suffix}"
        file.write_bytes(mutated(sample.read_bytes(), rng))
        genome = sample.suffix in (".genes", ".evl")
        eval_line = ["best", "othello", "start", "--player", f"alphabeta depth=1 eval={file}"]
        commands = [eval_line] if genome else [["show", file], ["convert", file, "-", "--to", "pgn"]]
        for command in commands:
            wrong = problems(*finish(start([PROGRAM, *command]), 60), allowed=(0, 1, 2))
            if wrong:
                shutil.copy(file, RESULTS / f"{command[0]}-{int(time.time())}{sample.suffix}")
            table.add("mutated files on the command line", wrong)


def mutated(data, rng):
    data = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        at = rng.randint(0, len(data))
        match rng.randrange(4):
            case 0:
                del data[at : at + rng.randint(1, 40)]
            case 1:
                data[at:at] = bytes(rng.choice(b'0189 \n-+*.:;[]{}()"\\\0\xff') for _ in range(rng.randint(1, 4)))
            case 2 if at < len(data):
                data[at] = rng.randrange(256)
            case _:
                piece = data[at : at + rng.randint(1, 40)]
                data[at:at] = piece
    return bytes(data)


# Requests


def soak_requests(table, end, rng, work):
    """Mutated HTTP requests and WebSocket messages to a server."""
    tests = {"mutated_requests_do_no_harm": "HTTP requests", "mutated_messages_do_no_harm": "WebSocket messages"}
    seconds = max(5, int((end - time.monotonic()) / len(tests)))
    for test, what in tests.items():
        settings = {"TABLERO_FUZZ_SECONDS": str(seconds), "TABLERO_FUZZ_SEED": str(rng.randrange(1 << 32))}
        program = start([os.environ["TABLERO_REQUESTS"], "--exact", test, "--nocapture"], env=os.environ | settings, cwd=work)
        status, out, err = finish(program, seconds + HANG)
        wrong = problems(status, out, err, allowed=(0,))
        sent = re.search(r"(\d+) sent", out + err)
        table.add(f"mutated {what}", [f"seed {settings['TABLERO_FUZZ_SEED']}: {what}" for what in wrong], int(sent[1]) if sent else 0)


# Jobs


class Job:
    """A kind of job: its command, how it is resumed, and what it leaves behind."""

    def __init__(self, name, command, resume, result):
        self.name, self.command, self.resume, self.result = name, command, resume, result


def jobs(folder, nats=(), games_per_match=16):
    """All kinds of jobs, with their files in `folder`."""
    data = ["--data", folder / "data"]
    games = folder / "games.pgn"
    players = ["mcts iterations=300", "alphabeta depth=2", "greedy"]
    seed = ["--seed", 11]
    record, best = folder / "games.jsonl", folder / "best.genes"
    learn = ["learn", "tictactoe", "--dir", folder / "run", "--generations", 2, "--games", 60, *seed, *nats]
    patterns = ["learn", "othello", "--net", "patterns", "--quick", "--dir", folder / "patterns", *seed, *nats]
    bill = ["learn", "othello", "--net", "bill", "--quick", "--dir", folder / "bill", *seed, *nats]
    selfplay = ["selfplay", "othello", "--player", "mcts iterations=100", "--games", 12, "--out", record, *seed, *nats]
    resume = lambda name: ["jobs", "resume", name, *data, *nats]  # noqa: E731
    return [
        Job(
            "match",
            ["match", "othello", *players[:2], "--games", games_per_match, *seed, *data, "--out", games, *nats],
            [*resume("match-1"), "--out", games],
            lambda: timeless(games.read_text()),
        ),
        Job(
            "tournament",
            ["tournament", "othello", *players, "--games", 4, *seed, *data, "--out", games, *nats],
            [*resume("tournament-1"), "--out", games],
            lambda: timeless(games.read_text()),
        ),
        Job(
            "evolve",
            ["evolve", "othello", "--genome", "sci", "--scheme", "es mu=4 lambda=4", "--player", "minimax depth=1",
             "--generations", 4, *seed, *data, "--out", best, *nats],
            resume("evolution-1"),
            lambda: genes(best),
        ),
        Job("selfplay", selfplay, selfplay, lambda: record.read_bytes()),
        Job("learn", learn, learn, lambda: sorted(networks(folder / "run").items())),
        Job("learn patterns", patterns, patterns, lambda: sorted(networks(folder / "patterns").items())),
        Job("learn bill", bill, bill, lambda: genes(folder / "bill" / "best.genes")),
        Job(
            "experiment",
            ["experiment", "run", "shobu-minimax", "--quick", "--out", folder / "report", *data, *nats],
            resume("experiment-1"),
            lambda: logs(folder),
        ),
    ]


def timeless(text):
    """Games and results without times; lines are broken at other places."""
    text = re.sub(r"\[%emt(\s|\\n)[^]]*\]", "", text)
    text = re.sub(r'"(seconds|micros|nps)":(\[[^]]*\]|[^,}]*)', "", text)
    return re.sub(r"\\n|\s", "", text)


def genes(path):
    """A file of genomes, without what differs from run to run."""
    return re.sub(r"seconds = .*|version = .*|command = .*", "", path.read_text())


def networks(folder):
    """The numbers of all networks and patterns of a run."""
    files = [path for path in folder.rglob("*") if path.suffix in (".safetensors", ".weights")]
    return {str(path.relative_to(folder)): numbers(path) for path in files}


def numbers(path):
    """The numbers of a file, without its header, which has times."""
    data = path.read_bytes()
    if path.suffix == ".safetensors":
        return data[8 + int.from_bytes(data[:8], "little") :]
    return data[data.index(b"\n}\n") :]


def logs(folder):
    """The outputs of all tasks of an experiment: its tables contain times."""
    files = sorted(path for path in (folder / "data").rglob("*.jsonl") if path.name != "events.jsonl")
    return [timeless(path.read_text()) for path in files]


def find_job(name, *place):
    return next(job for job in jobs(*place) if job.name == name)


def reference(table, name, *place):
    """The result of an undisturbed job and its time."""
    job = find_job(name, *place)
    begin = time.monotonic()
    ended = finish(start([PROGRAM, *job.command]))
    wrong = problems(*ended, allowed=(0,))
    if wrong:
        table.add(f"job: {name}", wrong)
        return None
    return job.result(), time.monotonic() - begin


def soak_jobs(table, end, rng, work):
    """Kills jobs of every kind at random moments, resumes them, and compares the results."""
    known = {}
    names = [job.name for job in jobs(work)]
    for name in endless(names, rng):
        if time.monotonic() > end and all(f"job: {name}" in table.rows for name in names):
            return
        if time.monotonic() > end + HANG:
            return
        if name not in known:
            known[name] = reference(table, name, Path(tempfile.mkdtemp(dir=work)))
        if known[name] is None:
            continue
        expected, seconds = known[name]
        folder = Path(tempfile.mkdtemp(dir=work))
        job = find_job(name, folder)
        process, kills = start([PROGRAM, *job.command]), 0
        while kills < 5:
            try:
                process.wait(rng.uniform(0.02, seconds))
                break
            except subprocess.TimeoutExpired:
                kill(process)
                process.communicate()
                kills += 1
                process = start([PROGRAM, *next_command(job, folder)])
        wrong = problems(*finish(process), allowed=(0,))
        if not wrong and job.result() != expected:
            wrong = [f"another result after {kills} kills; see {folder}"]
        table.add(f"job: {name}", wrong)
        table.add("kills of jobs", tries=kills)
        if not wrong:
            shutil.rmtree(folder)


def next_command(job, folder):
    """Resumes the job, or starts it again if it was killed before it existed."""
    is_job = job.resume[0] == "jobs"
    if is_job and not (folder / "data" / "jobs" / job.resume[2] / "job.json").exists():
        shutil.rmtree(folder)
        folder.mkdir()
        return job.command
    return job.resume


def endless(items, rng):
    while True:
        yield from rng.sample(items, len(items))


# Cluster


class Nats:
    def __init__(self, folder):
        self.folder, self.port = folder, free_port()
        self.restart()

    def restart(self):
        program = ROOT / ".venv/bin/nats-server"
        command = [program, "-a", "127.0.0.1", "-js", "-p", self.port, "-sd", self.folder / "store"]
        self.process = start(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for_port(self.port)

    def url(self):
        return f"nats://127.0.0.1:{self.port}"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for_port(port):
    for _ in range(600):
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
    sys.exit(f"nothing listens on port {port}")


def soak_cluster(table, end, rng, work):
    """Runs matches on workers while the server and the workers are killed and stopped."""
    nats = Nats(work)
    options = ["--nats", nats.url()]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}

    def worker():
        return start([PROGRAM, "worker", *options, "--threads", 1, "--cache", work / "cache"], **quiet)

    def fault(workers):
        which = rng.choice(["server killed", "server stopped", "worker killed", "worker stopped", "worker drained"])
        victim = rng.randrange(len(workers))
        match which:
            case "server killed":
                kill(nats.process)
                nats.process.wait()
                time.sleep(rng.uniform(0, 2))
                nats.restart()
            case "server stopped":
                pause(nats.process, rng.uniform(0.5, 6))
            case "worker stopped":
                pause(workers[victim], rng.uniform(0.5, 6))
            case "worker killed":
                kill(workers[victim])
                workers[victim].wait()
                workers[victim] = worker()
            case "worker drained":
                os.killpg(workers[victim].pid, signal.SIGTERM)
                wrong = problems(*finish(workers[victim], 90), allowed=(0, 130))
                table.add("drained workers", wrong)
                workers[victim] = worker()
        table.add(f"cluster fault: {which}")

    games = 60
    known = reference(table, "match", Path(tempfile.mkdtemp(dir=work)), (), games)
    workers = [worker() for _ in range(2)]
    try:
        while known and (time.monotonic() < end or "cluster run" not in table.rows):
            folder = Path(tempfile.mkdtemp(dir=work))
            job = find_job("match", folder, options, games)
            process = start([PROGRAM, *job.command])
            begin = time.monotonic()
            while process.poll() is None and time.monotonic() - begin < HANG:
                time.sleep(rng.uniform(0.1, 2))
                if rng.random() < 0.15:
                    kill(process)
                    process.communicate()
                    table.add("cluster fault: coordinator killed")
                    process = start([PROGRAM, *next_command(job, folder)])
                else:
                    fault(workers)
            wrong = problems(*finish(process), allowed=(0,))
            if not wrong and job.result() != known[0]:
                wrong = [f"another result than on threads; see {folder}"]
            table.add("cluster run", wrong)
            if not wrong:
                shutil.rmtree(folder)
    finally:
        for process in [*workers, nats.process]:
            kill(process)


def pause(process, seconds):
    os.killpg(process.pid, signal.SIGSTOP)
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGCONT)


# Engines

HANDSHAKE = "uci) echo id name Odd; echo uciok;; isready) echo readyok;;"
ENGINES = {
    "silent": "*) ;;",
    "silent in a search": f"{HANDSHAKE} go*) ;;",
    "closes its output": f"{HANDSHAKE} go*) exec >&-;;",
    "garbage": f"{HANDSHAKE} go*) head -c 3000 /dev/urandom; echo;;",
    "garbage as move": f"{HANDSHAKE} go*) echo bestmove; echo bestmove zz9; echo info depth x score cp y pv;;",
    "endless line": f"{HANDSHAKE} go*) exec tr '\\0' x </dev/zero;;",
    "endless lines": f"{HANDSHAKE} go*) exec yes info depth 1 score cp 10 pv e2e4;;",
    "endless handshake": "uci) exec yes option name x type button;;",
    "slow": f"{HANDSHAKE} go*) sleep 3; echo bestmove e2e4;;",
    "ignores stop": f"{HANDSHAKE} stop) ;; go*) exec sleep 1000;;",
    "crashes": f"{HANDSHAKE} go*) exit 3;;",
    "crashes at start": "uci) kill -9 $$;;",
    "illegal move": f"{HANDSHAKE} go*) echo bestmove e2e5;;",
    "floods its errors": f"{HANDSHAKE} go*) yes >&2;;",
    "refuses to quit": f"{HANDSHAKE} quit) while :; do sleep 1; done;; go*) echo bestmove e2e4;;",
}


def soak_engines(table, end, rng, work):
    """Matches against engines that misbehave: they lose, and the match ends."""
    for number, name in enumerate(endless(list(ENGINES), rng)):
        if time.monotonic() > end and number >= len(ENGINES):
            return
        script = work / "engine.sh"
        script.write_text(f"#!/bin/sh\nwhile read -r line; do case \"$line\" in {ENGINES[name]} esac; done\n")
        script.chmod(0o755)
        limit = rng.choice(["time=100ms", "depth=3 time=100ms", "nodes=100 time=1s"])
        match = ["match", "chess", f"uci {script} {limit}", "random", "--games", 2, "--max-plies", 20]
        process = start([PROGRAM, *match, "--json", "--data", Path(tempfile.mkdtemp(dir=work))])
        watch = Memory(process.pid)
        # An engine without a handshake is an error of the line.
        wrong = problems(*finish(process, 120), allowed=(0, 1, 2))
        peak = watch.stop()
        if peak > 500:
            wrong.append(f"{peak} MB")
        table.add(f"matches against {len(ENGINES)} kinds of faulty engines", [f"{name}: {what}" for what in wrong])


# Server


class Memory(threading.Thread):
    """Samples the resident memory in MB of the largest process that a process started, or of itself."""

    def __init__(self, pid, interval=0.5):
        super().__init__(daemon=True)
        self.pid, self.interval, self.samples = pid, interval, []
        self.begin, self.is_done = time.monotonic(), threading.Event()
        self.start()

    def run(self):
        while not self.is_done.wait(self.interval):
            children = [int(pid) for pid in read(f"/proc/{self.pid}/task/{self.pid}/children").split()]
            sizes = [resident(pid) for pid in [self.pid, *children]]
            if max(sizes):
                self.samples.append((time.monotonic() - self.begin, max(sizes)))

    def stop(self):
        """The peak."""
        self.is_done.set()
        return max((value for _, value in self.samples), default=0)


def resident(pid):
    found = re.search(r"VmRSS:\s+(\d+)", read(f"/proc/{pid}/status"))
    return int(found[1]) // 1024 if found else 0


def read(path):
    """The text of a file, empty if its process has ended."""
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def soak_server(table, end, rng, work):
    """Load, with the memory as a plot; then kills between moves."""
    seconds = max(20, int((end - time.monotonic()) * 0.6))
    limit = 1500
    # A table of this player has 16 MB: 200 games need three times the server's memory for tables.
    load = start([BUILD / "examples" / "load-test", 200, seconds, 2000, "othello", "alphabeta depth=5"])
    watch = Memory(load.pid)
    status, out, err = finish(load, seconds + HANG)
    peak = watch.stop()
    wrong = problems(status, out, err, allowed=(0,))
    if peak > limit:
        wrong.append(f"{peak} MB of memory, more than {limit}")
    answers = re.search(r"machine has answered\s+(\d+)", out)
    last = watch.samples[-1][1] if watch.samples else 0
    note = f"peak {peak} MB, {last} MB at the end"
    table.add("moves under load", wrong, int(answers[1]) if answers else 0, note)
    (RESULTS / "load.txt").write_text(out)
    (RESULTS / "memory.svg").write_text(plot(watch.samples, "Memory of the server with 200 games, MB"))
    games, folder = {}, work / "server"
    while time.monotonic() < end or "kills of the server" not in table.rows:
        soak_server_kill(table, rng, folder, games)


def soak_server_kill(table, rng, folder, games):
    """Plays moves, kills the server, and looks for every acknowledged move after its restart."""
    server = start([PROGRAM, "serve", "--port", 0, "--data", folder], stderr=subprocess.DEVNULL)
    url = server.stdout.readline().strip().rstrip("/")
    try:
        wrong = []
        for game, moves in games.items():
            kept = played(request(url, f"/api/games/{game}"))
            # A move without an answer may be kept or not.
            if kept[: len(moves)] != moves:
                wrong.append(f"game {game} has {len(kept)} moves, not {len(moves)}")
        stop_at = time.monotonic() + rng.uniform(0.2, 2)
        while time.monotonic() < stop_at:
            if not games or rng.random() < 0.1:
                players = [{"player": "human"}, {"player": "human"}]
                view = request(url, "/api/games", {"game": rng.choice(["othello", "chess"]), "players": players})
                games[view["id"]] = []
            game = rng.choice(list(games))
            legal = request(url, f"/api/games/{game}")["state"]["moves"]
            if legal:
                move = rng.choice(legal)["move"]
                request(url, f"/api/games/{game}/moves", {"move": move})
                games[game].append(move)
                table.add("acknowledged moves")
        table.add("kills of the server", wrong)
    except (OSError, KeyError) as error:
        table.add("kills of the server", [f"{error!r}"])
    finally:
        kill(server)
        server.wait()


def request(url, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    call = urllib.request.Request(url + path, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(call, timeout=30) as answer:
        return json.load(answer)


def played(view):
    """The moves of a game from its beginning."""
    return [node["move"] for node in view["nodes"] if node["parent"] is not None]


def plot(samples, title, width=720, height=260):
    """A line as SVG."""
    left, bottom, top = 60, 30, 30
    last = max((at for at, _ in samples), default=1) or 1
    most = max((value for _, value in samples), default=1) or 1
    x = lambda at: left + at / last * (width - left - 20)  # noqa: E731
    y = lambda value: height - bottom - value / most * (height - bottom - top)  # noqa: E731
    points = " ".join(f"{x(at):.1f},{y(value):.1f}" for at, value in samples)
    text = 'font-family="sans-serif" font-size="12" fill="#444"'
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{title}">
<rect width="{width}" height="{height}" fill="#fff"/>
<text x="{left}" y="18" {text}>{title}</text>
<path d="M{left} {top}V{height - bottom}H{width - 20}" fill="none" stroke="#999"/>
<text x="{left - 6}" y="{y(most) + 4:.0f}" text-anchor="end" {text}>{most}</text>
<text x="{left - 6}" y="{y(0) + 4:.0f}" text-anchor="end" {text}>0</text>
<text x="{left}" y="{height - 10}" {text}>0 s</text>
<text x="{width - 20}" y="{height - 10}" text-anchor="end" {text}>{last:.0f} s</text>
<polyline points="{points}" fill="none" stroke="#2266aa" stroke-width="1.5"/>
</svg>
"""


# Share of the time of each part.
PARTS = {
    "readers": (soak_readers, 0.2),
    "requests": (soak_requests, 0.1),
    "jobs": (soak_jobs, 0.2),
    "cluster": (soak_cluster, 0.2),
    "engines": (soak_engines, 0.1),
    "server": (soak_server, 0.2),
}


def main():
    words = sys.argv[1:]
    minutes = float(words.pop(0)) if words and words[0].replace(".", "").isdigit() else 60.0
    chosen = words or list(PARTS)
    if unknown := set(chosen) - set(PARTS):
        sys.exit(f"no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "failures.txt").unlink(missing_ok=True)
    # Killed programs leave no core files.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    seed = random.SystemRandom().randrange(1 << 32)
    table, total = Table(), sum(PARTS[part][1] for part in chosen)
    work = Path(tempfile.mkdtemp(prefix="tablero-soak-"))
    begin = time.monotonic()
    try:
        for part in chosen:
            run, share = PARTS[part]
            print(f"\n==> {part}", flush=True)
            folder = work / part
            folder.mkdir()
            run(table, time.monotonic() + 60 * minutes * share / total, random.Random(f"{seed} {part}"), folder)
    finally:
        failed = sum(row[1] for row in table.rows.values())
        taken = (time.monotonic() - begin) / 60
        summary = f"{taken:.1f} minutes, seed {seed}, {failed} failures\n\n{table.markdown()}"
        print(f"\n{summary}", flush=True)
        (RESULTS / "summary.md").write_text(summary)
        if not failed:
            shutil.rmtree(work, ignore_errors=True)
    sys.exit(1 if failed else 0)


main()
