#!/usr/bin/env python3
"""Checks a UCI engine for chess with python-chess, an implementation that is not ours.

    script/check-uci.py target/release/tablero
    script/check-uci.py /usr/games/stockfish ""     (another engine, with its own arguments)

Needs the package `chess`. Prints what it checks; the exit status is 1 if a check fails.
"""

import queue
import subprocess
import sys
import threading
import time

import chess
import chess.engine

PATIENCE = 20.0  # seconds for any answer, on a busy machine
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/1Q3PPP/1R4K1 w - - 0 1"


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


class Raw:
    """The engine's own lines, for what python-chess hides."""

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

    def say(self, *lines):
        for line in lines:
            print(line, file=self.process.stdin)
        self.process.stdin.flush()

    def until(self, start):
        """All lines up to the one that begins with `start`."""
        seen = []
        while not seen or not seen[-1].startswith(start):
            try:
                line = self.lines.get(timeout=PATIENCE)
            except queue.Empty:
                check(False, f"no `{start}` within {PATIENCE:.0f} s, last lines: {seen[-3:]}")
            check(line is not None, f"the engine ended instead of sending `{start}`")
            seen.append(line)
        return seen

    def ready(self):
        self.say("isready")
        return self.until("readyok")

    def end(self):
        self.process.stdin.close()
        return self.process.wait(PATIENCE)


def has_answered(lines):
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
        check("score" in result.info, "no score was told")
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
    check(seconds < 6, f"6 moves by a clock of 2 s took {seconds:.1f} s")
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
    return "kept to"


def wdl(engine):
    engine.configure({"UCI_ShowWDL": True})
    info = engine.analyse(chess.Board(), chess.engine.Limit(depth=3))
    check("wdl" in info, "no chances were told")
    chances = info["wdl"].relative
    check(sum(chances) == 1000, f"chances {chances} are not 1000 together")
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
                check(move in castling, f"{move} was not asked for")
                castled += 1
            else:
                move = engine.play(board, chess.engine.Limit(nodes=50)).move
            check(move in board.legal_moves, f"{move} is not legal in {board.fen()}")
            board.push(move)
    check(castled > 0, "nobody could castle")
    return f"4 games begun, {castled} times castled"


def infinite(command):
    raw = Raw(command)
    raw.say("uci")
    raw.until("uciok")
    raw.ready()
    waits = []
    for _ in range(10):
        raw.say("position startpos", "go infinite")
        raw.until("info depth")
        time.sleep(0.05)
        check(not has_answered(raw.ready()), "an infinite search answered by itself")
        start = time.monotonic()
        raw.say("stop")
        raw.until("bestmove")
        waits.append(time.monotonic() - start)
    waits.sort()
    check(waits[5] < 0.2, f"`stop` took {1000 * waits[5]:.0f} ms")
    # Where the search has nothing left to find, it still waits.
    raw.say(f"position fen {MATE_IN_ONE} moves b2b8", "go infinite")
    time.sleep(0.3)
    check(not has_answered(raw.ready()), "an infinite search answered by itself")
    raw.say("stop")
    raw.until("bestmove")
    check(raw.end() == 0, "the end of the input was not a clean end")
    return f"`stop` answered in {1000 * waits[0]:.1f} to {1000 * waits[-1]:.1f} ms"


def ponder(command):
    raw = Raw(command)
    raw.say("uci")
    raw.until("uciok")
    raw.say("setoption name Ponder value true", "position startpos moves e2e4")
    go = "go wtime 1000 btime 1000"
    raw.say(go)
    words = raw.until("bestmove")[-1].split()
    check(len(words) == 4 and words[2] == "ponder", f"no move to ponder on: {words}")
    position = f"position startpos moves e2e4 {words[1]} {words[3]}"
    for last in ("ponderhit", "stop"):
        raw.say(position, go.replace("go", "go ponder"))
        time.sleep(0.4)
        check(not has_answered(raw.ready()), "a pondering engine answered")
        raw.say(last)
        raw.until("bestmove")
    raw.say("quit")
    check(raw.end() == 0, "`quit` was not a clean end")
    return f"on {words[3]}"


def end_of_input(command):
    raw = Raw(command)
    raw.say("uci", "isready", "position startpos", "go infinite")
    raw.until("info depth")
    check(raw.end() == 0, "the engine did not end well")
    return "ends a search"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    arguments = sys.argv[2:] or ["engine", "uci", "--game", "chess"]
    command = [sys.argv[1]] + [word for word in arguments if word]
    engine = chess.engine.SimpleEngine.popen_uci(command, timeout=PATIENCE)
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
