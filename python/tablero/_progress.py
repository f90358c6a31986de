"""Progress bars of long calls: tqdm's, where it is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Optional

Report = Callable[[int, Optional[int], str], None]


@contextmanager
def bar(progress: bool, unit: str) -> Iterator[Report | None]:
    """Yields a function `report(done, total, text)`, or None if no bar is wanted or tqdm is not installed."""
    if not progress:
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield None
        return
    with tqdm(unit=unit, leave=False) as shown:

        def report(done: int, total: int | None, text: str) -> None:
            shown.total = total
            shown.n = done
            shown.set_postfix_str(text, refresh=False)
            shown.refresh()

        yield report
