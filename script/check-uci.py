#!/usr/bin/env python3
"""Checks a UCI chess engine with python-chess.

    script/check-uci.py target/release/tablero
    script/check-uci.py /usr/games/stockfish ""     (another engine and its arguments)

Needs the package `chess`. Exits with status 1 if a check fails.
"""

import queue
import subprocess
import sys
import threading
import time

import chess
import chess.engine

TIMEOUT = 20.0  # seconds per response, on a busy machine
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/1Q3PPP/1R4K1 w - - 0 1"


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


class RawEngine:
    """The raw protocol, for what python-chess hides."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.strip())
        self.lines.put(None)

    def send(self, *lines):
        for line in lines:
            print(line, file=self.process.stdin)
        self.process.stdin.flush()

    def until(self, start):
        """All lines up to the first one that begins with `start`."""
        seen = []
        while not seen or not seen[-1].startswith(start):
            try:
                line = self.lines.get(timeout=TIMEOUT)
            except queue.Empty:
                check(False, f"no `{start}` within {TIMEOUT:.0f} s, last lines: {seen[-3:]}")
            check(line is not None, f"the engine exited instead of sending `{start}`")
            seen.append(line)
        return seen

    def ready(self):
        self.send("isready")
        return self.until("readyok")

    def close(self):
        self.process.stdin.close()
        return self.process.wait(TIMEOUT)


def has_bestmove(lines):
    return any(line.startswith("bestmove") for line in lines)


def options(engine):
    wanted = """Hash, Threads, MultiPV, Ponder, UCI_ShowWDL, UCI_Chess960""".split(", ")
    missing = [name for name in wanted if name not in engine.options]
    check(not missing, f"options {missing} are missing")
    return f"{engine.id['name']}: {len(engine.options)} options"


def whole_game(engine):
    board = chess.Board()
    while not board.is_game_over(claim_draw=True) and board.ply() < 400:
        result = engine.play(board, chess.engine.Limit(nodes=300), info=chess.engine.INFO_ALL)
        check(result.move in board.legal_moves, f"{result.move} is not legal in {board.fen()}")
        check("score" in result.info, "no score")
        board.push(result.move)
    outcome = board.outcome(claim_draw=True)
    return f"{board.ply()} plies, {outcome.result() + ' by ' + outcome.termination.name if outcome else 'cut off'}"


def clock(engine):
    board = chess.Board()
    limit = chess.engine.Limit(white_clock=2, black_clock=2, white_inc=0.05, black_inc=0.05)
    start = time.monotonic()
    for _ in range(6):
        board.push(engine.play(board, limit).move)
    seconds = time.monotonic() - start
    check(seconds < TIMEOUT, f"6 moves by a clock of 2 s took {seconds:.1f} s")
    return f"6 moves in {seconds:.2f} s"


def multi_pv(engine):
    board = chess.Board()
    lines = engine.analyse(board, chess.engine.Limit(depth=5), multipv=4)
    firsts = [line["pv"][0] for line in lines]
    check(len(lines) == 4 and len(set(firsts)) == 4, f"wanted 4 lines, got {firsts}")
    scores = [line["score"].relative.score(mate_score=100000) for line in lines]
    check(scores == sorted(scores, reverse=True), f"scores are not in order: {scores}")
    for line in lines:
        copy = board.copy()
        for move in line["pv"]:
            check(move in copy.legal_moves, f"{move} of a line is not legal")
            copy.push(move)
    return " ".join(f"{move}:{score}" for move, score in zip(firsts, scores))


def search_moves(engine):
    board = chess.Board()
    moves = [chess.Move.from_uci(text) for text in ("a2a3", "h2h4")]
    for limit in (chess.engine.Limit(depth=4), chess.engine.Limit(nodes=500)):
        move = engine.play(board, limit, root_moves=moves).move
        check(move in moves, f"{move} is not among {moves}")
    return "respected"


def wdl(engine):
    engine.configure({"UCI_ShowWDL": True})
    info = engine.analyse(chess.Board(), chess.engine.Limit(depth=3))
    check("wdl" in info, "no WDL")
    chances = info["wdl"].relative
    check(sum(chances) == 1000, f"WDL {chances} does not sum to 1000")
    return f"{chances.wins} {chances.draws} {chances.losses}"


def mate(engine):
    board = chess.Board(MATE_IN_ONE)
    info = engine.analyse(board, chess.engine.Limit(depth=6))
    check(info["score"].relative.is_mate(), f"no mate found: {info['score']}")
    return str(info["score"].relative)


def chess960(engine):
    castled = 0
    for number in (0, 300, 518, 959):
        board = chess.Board.from_chess960_pos(number)
        for _ in range(60):
            if board.is_game_over():
                break
            castling = [move for move in board.legal_moves if board.is_castling(move)]
            if castling and castled < 6:
                move = engine.play(board, chess.engine.Limit(nodes=50), root_moves=castling).move
                check(move in castling, f"{move} is not in searchmoves")
                castled += 1
            else:
                move = engine.play(board, chess.engine.Limit(nodes=50)).move
            check(move in board.legal_moves, f"{move} is not legal in {board.fen()}")
            board.push(move)
    check(castled > 0, "no castling position occurred")
    return f"4 games, {castled} castling moves"


def infinite(command):
    raw = RawEngine(command)
    raw.send("uci")
    raw.until("uciok")
    raw.ready()
    waits = []
    for _ in range(10):
        raw.send("position startpos", "go infinite")
        raw.until("info depth")
        time.sleep(0.05)
        check(not has_bestmove(raw.ready()), "an infinite search returned before `stop`")
        start = time.monotonic()
        raw.send("stop")
        raw.until("bestmove")
        waits.append(time.monotonic() - start)
    waits.sort()
    # Also when the search is exhausted.
    raw.send(f"position fen {MATE_IN_ONE} moves b2b8", "go infinite")
    time.sleep(0.3)
    check(not has_bestmove(raw.ready()), "an infinite search returned before `stop`")
    raw.send("stop")
    raw.until("bestmove")
    check(raw.close() == 0, "the exit status at the end of the input is not 0")
    return f"`stop` took {1000 * waits[0]:.1f} to {1000 * waits[-1]:.1f} ms"


def ponder(command):
    raw = RawEngine(command)
    raw.send("uci")
    raw.until("uciok")
    raw.send("setoption name Ponder value true", "position startpos moves e2e4")
    # Deep enough for a reply, however busy the machine is.
    raw.send("go depth 4")
    words = raw.until("bestmove")[-1].split()
    check(len(words) == 4 and words[2] == "ponder", f"no move to ponder on: {words}")
    position = f"position startpos moves e2e4 {words[1]} {words[3]}"
    for last in ("ponderhit", "stop"):
        raw.send(position, "go ponder wtime 1000 btime 1000")
        time.sleep(0.4)
        check(not has_bestmove(raw.ready()), "a pondering search returned before `stop` or `ponderhit`")
        raw.send(last)
        raw.until("bestmove")
    raw.send("quit")
    check(raw.close() == 0, "the exit status after `quit` is not 0")
    return f"on {words[3]}"


def end_of_input(command):
    raw = RawEngine(command)
    raw.send("uci", "isready", "position startpos", "go infinite")
    raw.until("info depth")
    check(raw.close() == 0, "the exit status is not 0")
    return "stops the search"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    arguments = sys.argv[2:] or ["engine", "uci", "--game", "chess"]
    command = [sys.argv[1]] + [word for word in arguments if word]
    engine = chess.engine.SimpleEngine.popen_uci(command, timeout=TIMEOUT)
    checks = [options, whole_game, clock, multi_pv, search_moves, wdl, mate, chess960]
    try:
        for each in checks:
            print(f"{each.__name__}: {each(engine)}", flush=True)
    finally:
        engine.quit()
    for each in (infinite, ponder, end_of_input):
        print(f"{each.__name__}: {each(command)}", flush=True)


if __name__ == "__main__":
    main()
