"""The database of games."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from . import _tablero
from ._progress import bar
from ._tablero import Position, Record

PathLike = str | os.PathLike[str]


class Archive(_tablero.Archive):
    """A database of games in a folder, as `tablero archive --data FOLDER` uses it."""

    def import_files(
        self,
        paths: PathLike | Iterable[PathLike],
        *,
        game: str | None = None,
        format: str | None = None,
        progress: bool = True,
    ) -> dict[str, Any]:
        """Imports files of games. Returns the numbers of new, skipped and duplicate games, and the problems."""
        paths = [paths] if isinstance(paths, (str, os.PathLike)) else paths
        with bar(progress, "games") as report:
            return json.loads(self._import([Path(path) for path in paths], game=game, format=format, report=report))

    def search(
        self,
        *,
        game: str | None = None,
        player: str | None = None,
        side: int | None = None,
        opponent: str | None = None,
        from_year: int | None = None,
        to_year: int | None = None,
        event: str | None = None,
        opening: str | None = None,
        result: str | None = None,
        position: Position | None = None,
        offset: int = 0,
        limit: int = 50,
    ) -> list[dict[str, Any]]:
        """The games that match, those added last first: a dict with id, players, event, date, result of each.

        `result` is "first", "draw", "second" or "unknown"; `position` finds games that reached it, up to symmetry.
        """
        query = dict(locals())
        del query["self"]
        return json.loads(self._search(**query))["games"]

    def count(self, **query: Any) -> int:
        """The number of games that match; arguments are those of `search`."""
        return json.loads(self._search(**{**query, "limit": 1}))["total"]

    def records(self, **query: Any) -> list[Record]:
        """The games that match, for `tablero.arrays` and `tablero.table`; arguments are those of `search`."""
        return [self.record(found["id"]) for found in self.search(**query)]

    def table(self, **query: Any) -> Any:
        """The games that match as an Arrow table (needs pyarrow), without their moves."""
        import pyarrow

        columns = ["id", "game", "first", "second", "event", "date", "opening", "margin", "ending", "plies"]
        found = self.search(**query)
        return pyarrow.table({name: [game[name] for game in found] for name in columns})

    def explore(self, position: Position, *, games: int = 0) -> dict[str, Any]:
        """What was played in a position, up to symmetry: each move with its games, wins, draws and losses."""
        return json.loads(self._explore(position, games=games))

    def stats(self) -> dict[str, Any]:
        """The numbers of games, players and events."""
        return json.loads(self._stats())
