"""The trees of searches."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ._tablero import Position, RecordedTree

__all__ = ["SearchTree", "TreeNode"]


@dataclass(frozen=True)
class TreeNode:
    """A node of a search tree. None where its search has no such number."""

    id: int
    #: None for the root.
    parent: int | None = None
    #: How it is reached: "move", "stay" (the same position: an iteration, a test) or "null-move".
    step: str = "move"
    move: str | None = None
    #: The side whose values these are: the one that made the move, at the root the one to move.
    side: int = 0
    #: Of minimax and alphabeta in the game's unit, of mcts and puct the mean result Q from -1 to 1.
    value: float | None = None
    #: Why a depth-first search visited it: "full", "scout", "null-move", "quiescence", "pruned", ...
    search: str | None = None
    #: Remaining depth, and the plies that it was reduced by.
    depth: int | None = None
    reduction: int | None = None
    #: Alpha and beta; None is unbounded.
    window: tuple[float | None, float | None] | None = None
    static_eval: float | None = None
    #: The rule that cut it off or pruned it: "beta", "transposition-table", "late-move", "futility", ...
    cut: str | None = None
    #: Why it has no children: "game-over", "draw", "horizon".
    leaf: str | None = None
    #: Legal moves, and the place of the best one in the order of search, from 1.
    moves: int | None = None
    best_rank: int | None = None
    #: Nodes of its subtree.
    nodes: int | None = None
    #: N, P, and the two parts of the bound: exploitation and exploration.
    visits: int | None = None
    prior: float | None = None
    bound: tuple[float, float] | None = None
    network_value: float | None = None
    #: A proven result of its side: {"outcome": "win", "plies": 3}.
    proven: dict[str, Any] | None = None
    #: The node that has the children of this position.
    transposes_to: int | None = None
    _tree: SearchTree | None = field(default=None, repr=False, compare=False)

    @property
    def children(self) -> list[TreeNode]:
        """The nodes below."""
        return [] if self._tree is None else [self._tree[id] for id in self._tree.children(self.id)]


class SearchTree:
    """The tree of a search, its root first and parents before their children.

    Nodes are in the order of the search (minimax, alphabeta) or by visits (mcts, puct). Every value is for the side
    that made the move to its node; at the root, for the side to move. Notebooks show the most searched nodes.
    """

    #: The search: "minimax", "alphabeta", "mcts" or "puct".
    search: str
    #: The move chosen, and the rule that chose it: "largest-value", "most-visits", "proven-win", ...
    move: str
    reason: str
    #: Nodes, iterations or simulations of the search.
    searched: int
    #: Nodes of the whole tree, and whether all of them are recorded.
    tree_nodes: int
    is_complete: bool
    #: Iterations of iterative deepening: {"depth", "nodes", "move", "value", "researches"}.
    iterations: list[dict[str, Any]]
    #: How often each rule cut a node off or pruned a move, in the whole tree.
    cuts: dict[str, int]
    #: Beta cutoffs by the rank of the move that caused them, from 1.
    cutoff_ranks: list[int]
    #: What minimax without pruning visits to the same depth: {"depth", "nodes", "is_estimate"}.
    full_width: dict[str, Any] | None
    #: The bound of a best-first search: "ucb1", "puct" or "gumbel-puct".
    bound: str | None
    #: Visits of the root before this search.
    reused_visits: int

    def __init__(self, recorded: RecordedTree, position: Position) -> None:
        self._recorded = recorded
        self._root_position = position.copy()
        found = json.loads(recorded._summary())
        self.search = found["search"]
        self.move, self.reason = found["choice"]["move"], found["choice"]["reason"]
        self.searched, self.tree_nodes = found["searched"], found["tree_nodes"]
        self.is_complete = found["is_complete"]
        self.iterations = found["iterations"]
        self.cuts = {cut["cut"]: cut["count"] for cut in found["cuts"]}
        self.cutoff_ranks = found["cutoff_ranks"]
        self.full_width, self.bound = found.get("full_width"), found.get("bound")
        self.reused_visits = found["reused_visits"]

    def __len__(self) -> int:
        return len(self._recorded)

    def __getitem__(self, id: int) -> TreeNode:
        """The node with this number; the root is 0."""
        if not 0 <= id < len(self):
            raise IndexError(f"no node {id}: there are {len(self)}")
        found = json.loads(self._recorded._node(id))
        for name in ("window", "bound"):
            if name in found:
                found[name] = tuple(found[name])
        return TreeNode(**found, _tree=self)

    def __iter__(self) -> Iterator[TreeNode]:
        return (self[id] for id in range(len(self)))

    @property
    def root(self) -> TreeNode:
        """The first node."""
        return self[0]

    @cached_property
    def arrays(self) -> dict[str, np.ndarray]:
        """The nodes as arrays: `parent` (-1 for the root), `side`, and the numbers that the search has.

        Those are float64, NaN where a node has none: value, visits, prior, exploitation, exploration, network_value,
        nodes, depth, reduction, alpha, beta, static_eval, moves, best_rank, transposes_to.
        """
        return self._recorded._arrays()

    @cached_property
    def moves(self) -> list[str | None]:
        """The move to each node; None where a node has the position of its parent."""
        return self._recorded._moves()

    @cached_property
    def growth(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Of mcts and puct: the deepest node of each iteration, and its value for the side to move at the root."""
        return self._recorded._growth()

    @cached_property
    def _by_parent(self) -> tuple[np.ndarray, np.ndarray]:
        parents = self.arrays["parent"]
        order = np.argsort(parents, kind="stable")
        return order, np.searchsorted(parents[order], np.arange(len(self) + 1))

    def children(self, id: int) -> list[int]:
        """The numbers of the nodes below a node."""
        if not 0 <= id < len(self):
            raise IndexError(f"no node {id}: there are {len(self)}")
        order, starts = self._by_parent
        return order[starts[id] : starts[id + 1]].tolist()

    def line(self, id: int) -> list[str]:
        """The moves from the root to a node; a null move is "--"."""
        moves: list[str] = []
        at: int | None = id
        while at is not None:
            node = self[at]
            if node.step != "stay" and node.parent is not None:
                moves.append("--" if node.move is None else node.move)
            at = node.parent
        return moves[::-1]

    def position(self, id: int = 0) -> Position:
        """The position of a node."""
        line, position = self.line(id), self._root_position.copy()
        if "--" in line:
            raise ValueError(f"node {id} is below a null move, which the rules do not allow")
        for move in line:
            position.play(move)
        return position

    def json(self) -> str:
        """Everything that was recorded, as `tablero best --tree` writes it."""
        return self._recorded.json()

    def dot(self) -> str:
        """The most searched nodes for Graphviz."""
        return self._recorded.dot()

    def svg(self) -> str:
        """A picture of the most searched nodes."""
        return self._recorded.svg()

    def _repr_svg_(self) -> str:
        return self.svg()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file: .json, .dot or .svg."""
        path = Path(path)
        formats = {".json": self.json, ".dot": self.dot, ".gv": self.dot, ".svg": self.svg}
        if path.suffix.lower() not in formats:
            raise ValueError(f"{path}: the extension must be .json, .dot or .svg")
        path.write_text(formats[path.suffix.lower()](), encoding="utf-8")

    def __repr__(self) -> str:
        recorded = "" if self.is_complete else f" of {self.tree_nodes}"
        return f"SearchTree({self.search}, {len(self)}{recorded} nodes, {self.move}: {self.reason})"
