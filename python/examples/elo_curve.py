"""How much is a ply worth? Elo of alpha-beta by depth, with error bars, as a plot (needs matplotlib).

    python elo_curve.py connectfour elo.svg
"""

import os
import sys

import tablero

GAMES = int(os.environ.get("GAMES", "100"))
DEPTHS = range(1, int(os.environ.get("DEPTH", "6")) + 1)


def curve(game: str) -> list[tablero.Standing]:
    """A tournament of all depths."""
    lines = [f"alphabeta depth={depth}" for depth in DEPTHS]
    result = tablero.tournament(game, lines, games=GAMES, records=False)
    print(result)
    return result.players


def plot(game: str, standings: list[tablero.Standing], file: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    elo = [standing.elo for standing in standings]
    errors = [standing.elo_error or 0 for standing in standings]
    pyplot.errorbar(DEPTHS, elo, yerr=errors, marker="o", capsize=3)
    pyplot.xlabel("depth in plies")
    pyplot.ylabel("Elo")
    pyplot.title(f"alphabeta, {game}, {GAMES} games per pairing")
    pyplot.grid(alpha=0.3)
    pyplot.savefig(file, bbox_inches="tight")


if __name__ == "__main__":
    game, file = (sys.argv[1:] + ["connectfour", "elo.svg"][len(sys.argv) - 1 :])[:2]
    plot(game, curve(game), file)
