"""Players, searches, matches, and Python functions in their place."""

import signal
import threading
import time

import numpy as np
import pytest

import tablero
from tablero import Player, Position, Positions


def discs(positions: Positions) -> np.ndarray:
    """The disc difference, from the first two planes."""
    planes = positions.planes()
    return planes[:, 0].sum((1, 2)) - planes[:, 1].sum((1, 2))


def test_best_and_analyse(game):
    position = Position(game)
    assert tablero.best(position, nodes=2000) in position.legal_moves
    analysis = tablero.analyse(position, "alphabeta depth=3", multipv=3)
    assert [line.move for line in analysis.lines] == [line.line[0] for line in analysis.lines]
    assert len(analysis.lines) == min(3, len(position.legal_moves))
    assert analysis.best == analysis.lines[0].move and analysis.nodes > 0
    assert analysis.score == analysis.lines[0].score
    assert all(a.score >= b.score for a, b in zip(analysis.lines, analysis.lines[1:]))


def test_mate_is_found():
    position = Position("chess", "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
    analysis = tablero.analyse(position, "alphabeta depth=4")
    assert (analysis.best, analysis.lines[0].value) == ("Rd8#", "#1") and analysis.score == 9999


def test_reports_of_a_search():
    depths = []
    tablero.analyse(Position("chess"), "alphabeta depth=5", report=lambda depth, total, text: depths.append(depth))
    assert depths == sorted(depths) and depths[-1] == 5


def test_perft():
    assert tablero.perft(Position("chess"), 4) == 197281
    assert tablero.perft(Position("othello"), 7, threads=2) == 55092
    assert tablero.perft(Position("othello"), 8, threads=1) == tablero.perft(Position("othello"), 8, threads=2) == 390216
    distinct = [tablero.perft(Position("shobu"), 1, distinct=value) for value in (True, False)]
    assert distinct[0] <= distinct[1]


def test_solve():
    position = Position("othello", "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X")
    solution = tablero.solve(position, wld=True, hash_mb=64)
    assert (solution.score, solution.empties) == (1, 20) and solution.best in position.legal_moves
    with pytest.raises(ValueError, match="chess has no solver"):
        tablero.solve(Position("chess"))


def test_matches():
    result = tablero.match("othello", "greedy eval=sci", "random", games=20, seed=3)
    assert result.games == 20 and result.wins + result.draws + result.losses == 20
    assert result.wins > 12 and result.elo > 0 and sum(result.pentanomial) == 10
    assert len(result.records) == 20 and result.records[0].players == ("greedy eval=sci", "random")
    again = tablero.match("othello", "greedy eval=sci", "random", games=20, seed=3, threads=1, records=False)
    assert (again.wins, again.pentanomial, again.records) == (result.wins, result.pentanomial, [])
    assert "Elo +" in str(result)
    early = tablero.match("tictactoe", "alphabeta depth=9", "random", games=2000, sprt=(0, 50))
    assert early.games < 2000 and early.end == "H1 was accepted" and early.llr > 2


def test_tournaments():
    result = tablero.tournament("connectfour", ["random", "greedy", "alphabeta depth=3"], games=10)
    best = max(result.players, key=lambda standing: standing.elo)
    assert best.player == "alphabeta depth=3" and best.elo_error > 0
    assert len(result.records) == 30 and "alphabeta" in str(result)


def test_reviews():
    game = Position("tictactoe", "start moves a1 b1")
    review = tablero.review(game, "alphabeta depth=9")
    assert [move.verdict for move in review.moves][1] == "blunder"
    assert review.record.tags["Annotator"].startswith("Tablero") and "??" in review.record.text("pgn").replace("$4", "??")
    with pytest.raises(ValueError, match="no moves"):
        tablero.review(Position("tictactoe"))


def test_functions_as_evaluations():
    calls = []

    def counting(positions):
        calls.append(len(positions))
        return discs(positions)

    position = Position("othello", "start moves f5 d6 c3")
    player = Player("othello", "minimax depth=3", evaluation=counting)
    # The named evaluation `discs` is the same.
    assert player.best(position) == tablero.best(position, "minimax depth=3 eval=discs")
    assert len(calls) * 3 < sum(calls), "siblings are evaluated together"
    for line in ("greedy", "alphabeta depth=3"):
        assert Player("othello", line, evaluation=discs).best(position) in position.legal_moves


def test_functions_as_networks():
    sizes = []

    def corner(positions):
        sizes.append(len(positions))
        policy = np.full((len(positions), positions.actions), 0.01)
        policy[:, [0, 7, 56, 63]] = 1
        return discs(positions) / 64, policy

    position = Position("othello", "start moves f5 d6 c3")
    player = Player("othello", "puct sims=64 batch=8", network=corner)
    assert player.best(position) in position.legal_moves
    assert max(sizes) > 4, "leaves are evaluated in batches"
    values_only = Player("othello", "mcts iterations=50", network=lambda positions: discs(positions) / 64)
    assert values_only.best(position) in position.legal_moves


def test_functions_play_matches():
    player = Player("othello", "greedy", evaluation=discs, name="discs")
    twin = Player("othello", "greedy", evaluation=lambda positions: -discs(positions), name="discs")
    result = tablero.match("othello", player, twin, games=8, seed=2)
    assert result.players == ("discs", "discs (2)") and result.games == 8 and not result.faults


def test_exceptions_of_functions_are_raised():
    def broken(positions):
        raise KeyError("mine")

    position = Position("othello")
    for player in (
        Player("othello", "alphabeta depth=3", evaluation=broken),
        Player("othello", "puct sims=20", network=broken),
    ):
        for _ in range(2):
            with pytest.raises(KeyError, match="mine"):
                player.best(position)
        with pytest.raises(KeyError, match="mine"):
            tablero.match("othello", player, "random", games=4)
        with pytest.raises(KeyError, match="mine"):
            tablero.selfplay("othello", player, 2)


def test_shapes_of_functions_are_checked():
    position = Position("othello")
    wrong = {
        "expected 1 numbers": lambda positions: np.zeros(len(positions) + 1),
        "not finite": lambda positions: np.full(len(positions), np.nan),
        "expected numbers": lambda positions: ["a"] * len(positions),
    }
    for message, function in wrong.items():
        with pytest.raises((ValueError, TypeError), match=message):
            Player("othello", "mcts iterations=4", network=function).best(position)
    policies = {
        r"expected shape \[1, 65\]": np.ones((1, 64)),
        "cannot be negative": -np.ones((1, 65)),
    }
    for message, policy in policies.items():
        with pytest.raises(ValueError, match=message):
            player = Player("othello", "puct sims=4", network=lambda positions, policy=policy: ([0.0], policy))
            player.best(position)


def test_long_calls_release_the_gil():
    done = threading.Event()
    ticks = []

    def tick():
        while not done.is_set():
            ticks.append(1)
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    tablero.analyse(Position("chess"), time=0.5)
    done.set()
    thread.join()
    assert len(ticks) > 20


@pytest.mark.parametrize(
    "work",
    [
        lambda: tablero.analyse(Position("chess"), time=60),
        lambda: tablero.match("chess", "alphabeta depth=8", "alphabeta depth=8", games=100, openings="start"),
        lambda: tablero.perft(Position("chess"), 9),
        lambda: tablero.solve(Position("othello")),
        lambda: tablero.selfplay("chess", "alphabeta depth=6", 1000),
        lambda: tablero.review(Position("chess", "start moves e4 e5 Nf3 Nc6"), "alphabeta time=30s"),
    ],
)
def test_interrupts_end_calls(work):
    timer = threading.Timer(0.4, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        work()
    assert time.monotonic() - start < 10
    timer.join()


def test_progress_is_reported(monkeypatch):
    reports = []

    class Bar:
        def __init__(self, **options):
            self.n, self.total = 0, None

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def set_postfix_str(self, text, refresh):
            pass

        def refresh(self):
            reports.append((self.n, self.total))

    tqdm = pytest.importorskip("tqdm.auto")
    monkeypatch.setattr(tqdm, "tqdm", Bar)
    tablero.match("tictactoe", "random", "random", games=10)
    assert reports[-1] == (10, 10)
