"""An evaluation in ten lines: mobility and corners for Othello, against the program's own."""

import numpy as np

import tablero


def mobility(positions: tablero.Positions) -> np.ndarray:
    """Own moves and corners against the opponent's, in discs, for the side to move."""
    _, offsets = positions.legal_actions()
    planes = positions.planes()
    corners = planes[:, :2, ::7, ::7].sum((2, 3))
    return np.diff(offsets) - 8.0 + 10 * (corners[:, 0] - corners[:, 1])


if __name__ == "__main__":
    mine = tablero.Player("othello", "alphabeta depth=2", evaluation=mobility)
    for opponent in ("random", "alphabeta depth=2 eval=discs", "alphabeta depth=2 eval=sci"):
        print(tablero.match("othello", mine, opponent, games=20))
