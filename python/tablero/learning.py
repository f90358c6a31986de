"""Learning: supervised training, self-play, evolution, tuning, experiments.

Options have the names of the command line, with underscores. Long calls show progress; Ctrl-C ends them and keeps what
they have learned, and the same call resumes them.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np

from . import _tablero
from ._progress import bar
from ._tablero import Network, Player

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "Evolution",
    "ExperimentResult",
    "LearnOptions",
    "Learning",
    "Training",
    "Tuning",
    "evolve",
    "experiment",
    "experiment_plan",
    "experiments",
    "learn",
    "train",
    "tune",
]

PathLike = str | os.PathLike[str]
Curves = dict[str, np.ndarray]


class LearnOptions(TypedDict, total=False):
    """Hyperparameters of `learn`. A resumed run keeps its own; docs/explanation/learning.md explains them."""

    # The run
    generations: int
    games: int
    init: str
    rules: str
    # A teacher plays the first generations
    teacher: str
    teacher_games: int
    teacher_generations: int
    teacher_q_ratio: float
    teacher_replay_ratio: float
    # Self-play
    nodes: int
    sims: int
    fast_sims: int
    full_search_prob: float
    gumbel_actions: int
    noise_plies: int
    fpu_zero: bool
    temperature_plies: int
    random_plies: int
    random_move_prob: float
    draw_score: float
    automatic_draws_only: bool
    no_policy_target_pruning: bool
    resign_threshold: float
    resign_playthrough: float
    max_plies: int
    no_exact_endgames: bool
    # Training
    replay_generations: int
    replay_ratio: float
    epochs: int
    batch_size: int
    lr: float
    lr_schedule: Literal["constant", "cosine", "step"]
    weight_decay: float
    no_symmetries: bool
    asynchronous: bool
    backend: Literal["native", "burn"]
    q_ratio: float
    policy_surprise_weight: float
    # Evaluation
    gate: float
    eval_sims: int
    eval_games: int
    eval_every: int
    anchor: Sequence[str]
    anchor_games: int


@dataclass(frozen=True)
class Training:
    """A network trained on recorded games."""

    #: The file of the network: `net=FILE` of puct and mcts, `eval=FILE` of alphabeta for an NNUE.
    file: Path
    positions: int
    held_out_positions: int
    steps: int
    seconds: float
    samples_per_second: float
    #: One number per epoch. Of networks `value` (mean squared error), `value_error` (mean absolute error), `policy`
    #: (cross-entropy) and the same with `held_out_` before; of an NNUE `training` and `held_out` (mean squared errors).
    epochs: Curves = field(repr=False)

    @classmethod
    def _of(cls, text: str) -> Training:
        found = json.loads(text)
        training = found["training"]
        names = ("positions", "held_out_positions", "steps", "seconds", "samples_per_second")
        return cls(Path(training["file"]), *(training[name] for name in names), epochs=_curves(found["epochs"]))

    def network(self) -> Network:
        """The network; an NNUE is one of players instead: "alphabeta eval=FILE"."""
        return Network.load(self.file)


@dataclass(frozen=True)
class Learning:
    """A learning run."""

    #: Its folder, with games, networks and a report (report.md).
    folder: Path
    #: The file of the best weights; None before the first generation is finished.
    best: Path | None
    #: False if `hours` were over before the last generation.
    is_finished: bool
    #: All generations: games, losses, scores, Elo, ...
    generations: list[dict[str, Any]] = field(repr=False)
    #: The same and the matches, as the run keeps it.
    history: dict[str, Any] = field(repr=False)

    @classmethod
    def _of(cls, text: str) -> Learning:
        found = json.loads(text)
        history = found["history"]
        best = None if found["best"] is None else Path(found["best"])
        return cls(Path(found["folder"]), best, found["is_finished"], history["generations"], history)

    @property
    def curves(self) -> Curves:
        """One number per generation: "elo", "elo_error", "score", "held_out_value", ...; NaN where there is none."""
        return _curves(self.generations)


@dataclass(frozen=True)
class Evolution:
    """An evolved evaluation."""

    #: The file of the genomes, `eval=FILE` of player lines; None without `out`.
    file: Path | None
    job: str
    #: The best genome by the names of its genes, or by their numbers where they have no names.
    best: dict[str, float] = field(repr=False)
    fitness: float
    games: int
    nodes: int
    seconds: float
    #: One number per generation: "best", "mean", "worst" (fitness), "diversity", "sigma", "games", ...
    generations: Curves = field(repr=False)
    #: The last population, of shape (members, genes), the best first; None if genomes differ in length.
    population: np.ndarray | None = field(repr=False)

    @classmethod
    def _of(cls, text: str) -> Evolution:
        found = json.loads(text)
        summary = found["summary"]
        genome, genes = summary["best"]["genome"], summary["genes"]
        names = genes if len(genes) == len(genome) else [str(number) for number in range(len(genome))]
        members = [member["genome"] for member in found["genomes"]["population"]]
        is_even = bool(members) and all(len(member) == len(members[0]) for member in members)
        for problem in found["skipped"][:10]:
            warnings.warn(f"skipped {problem}", stacklevel=3)
        return cls(
            file=None if summary["out"] is None else Path(summary["out"]),
            job=summary["job"],
            best=dict(zip(names, genome)),
            fitness=summary["best"]["fitness"],
            games=summary["games"],
            nodes=summary["nodes"],
            seconds=summary["seconds"],
            generations=_curves(found["generations"]),
            population=np.array(members) if is_even else None,
        )


@dataclass(frozen=True)
class Tuning:
    """A tuned evaluation."""

    #: The file of the weights: `eval=FILE` of player lines.
    file: Path
    games: int
    positions: int
    held_out_positions: int
    #: Mean squared errors before and after each round, of shape (rounds + 1, 2): training and held-out positions.
    errors: np.ndarray
    seconds: float


@dataclass(frozen=True)
class ExperimentResult:
    """An experiment that was run."""

    name: str
    title: str
    #: All that was measured.
    results: dict[str, Any] = field(repr=False)
    #: The tables of the report.
    tables: list[str] = field(repr=False)
    #: The report; None without `out`.
    report: Path | None

    def __str__(self) -> str:
        return "\n\n".join([self.title, *self.tables])


def _curves(rows: list[dict[str, Any]]) -> Curves:
    """The numbers of rows by name, NaN where a row has none; those of nested groups have its name before theirs."""

    def numbers(row: dict[str, Any], prefix: str) -> dict[str, float]:
        found: dict[str, float] = {}
        for name, value in row.items():
            if isinstance(value, dict):
                # Losses on training positions are the main ones.
                found |= numbers(value, prefix if name == "training" else f"{prefix}{name}_")
            elif isinstance(value, (int, float)):
                found[prefix + name] = float(value)
        return found

    columns = [numbers(row, "") for row in rows]
    names = dict.fromkeys(name for column in columns for name in column)
    return {name: np.array([column.get(name, np.nan) for column in columns]) for name in names}


def _json(options: dict[str, Any]) -> str:
    """Options that were given."""
    given = {name: value for name, value in options.items() if value is not None}
    return json.dumps(given, default=os.fspath)


def _paths(given: PathLike | Iterable[PathLike]) -> list[str]:
    return [os.fspath(path) for path in ([given] if isinstance(given, (str, os.PathLike)) else given)]


def _check_new(path: PathLike, force: bool) -> None:
    if Path(path).exists() and not force:
        raise FileExistsError(f"{os.fspath(path)} exists already; overwrite it with force=True")


def _command(name: str, game: str, options: dict[str, Any]) -> str:
    """The call, for the provenance of its result."""
    given = [f"{name}={value!r}" for name, value in options.items() if value is not None]
    return f"tablero.{name}({', '.join([repr(game), *given])})"


def _data(data: PathLike | None) -> Path | None:
    given = os.environ.get("TABLERO_DATA") if data is None else data
    return None if not given else Path(given)


def train(
    game: str,
    data: PathLike | Iterable[PathLike],
    out: PathLike,
    *,
    net: str = "resnet 4x32",
    force: bool = False,
    init: PathLike | None = None,
    report: PathLike | None = None,
    seed: int = 1,
    recipe: Literal["otelo", "hatchet1"] | None = None,
    epochs: int | None = None,
    batch_size: int | None = None,
    lr: float | None = None,
    lr_schedule: Literal["constant", "cosine", "step"] | None = None,
    weight_decay: float | None = None,
    symmetries: bool | None = None,
    backend: Literal["native", "burn"] = "native",
    device: str | None = None,
    q_ratio: float | None = None,
    split: Literal["game", "position"] = "game",
    held_out: float | None = None,
    keep: Literal["best", "last"] | None = None,
    patience: int | None = None,
    threads: int | None = None,
    progress: bool = True,
) -> Training:
    """Trains a network on recorded games and writes it to `out`, as `tablero train` does.

    `data` are files of `selfplay` (.jsonl), packed positions (.positions), a table in the layout of Otelo (.csv) or
    folders of `learn`. `net` is "resnet BLOCKSxFILTERS", "mlp INPUTS-...-1" or "nnue WIDTH"; the extension of `out` is
    .safetensors, .keras, .h5, .onnx, or .nnue. The recipes are those of earlier works: "otelo" (SGD, the default of
    mlp) and "hatchet1" (Adam). `report` is a folder for learning curves. After Ctrl-C `out` holds what was learned so
    far; `init` starts from it. `device` is that of the backend "burn": "cpu", "gpu" or "gpu:N".
    """
    _check_new(out, force)
    options = {
        "data": _paths(data),
        "net": net,
        "out": out,
        "init": init,
        "report": report,
        "seed": seed,
        "recipe": recipe,
        "epochs": epochs,
        "batch_size": batch_size,
        "lr": lr,
        "lr_schedule": lr_schedule,
        "weight_decay": weight_decay,
        "symmetries": symmetries,
        "backend": backend,
        "device": device,
        "q_ratio": q_ratio,
        "split": split,
        "held_out": held_out,
        "keep": keep,
        "patience": patience,
    }
    with bar(progress, "steps") as shown:
        return Training._of(_tablero.train(game, _json(options), threads=threads, report=shown))


def learn(
    game: str,
    dir: PathLike | None = None,
    *,
    net: str | None = None,
    hours: float | None = None,
    quick: bool = False,
    seed: int | None = None,
    threads: int | None = None,
    device: str | None = None,
    progress: bool = True,
    **options: Unpack[LearnOptions],
) -> Learning:
    """Trains a network by self-play reinforcement learning, as `tablero learn` does.

    Each generation plays games against itself and trains on the replay buffer; some are evaluated against earlier
    ones. `dir` is the folder of the run (by default learn-GAME); the same call resumes it, also after Ctrl-C, and
    loses at most the running games. `net` is "resnet BLOCKSxFILTERS", "mlp INPUTS-...-1", "nnue WIDTH" (an evaluation
    for alphabeta) or for Othello "patterns" or "bill". `quick` makes a new run a smoke test of a minute or two; `hours`
    ends it in time; `device` is that of the backend "burn": "cpu", "gpu" or "gpu:N"; `options` are its hyperparameters:
    see LearnOptions.
    """
    given = {"net": net, "quick": quick or None, "seed": seed, **options}
    with bar(progress, "") as shown:
        return Learning._of(
            _tablero.learn(
                game,
                _json(dict(options)),
                _command("learn", game, given),
                net=net,
                dir=None if dir is None else Path(dir),
                quick=quick,
                seed=seed,
                hours=hours,
                threads=threads,
                device=device,
                report=shown,
            )
        )


def evolve(
    game: str,
    genome: str,
    *,
    generations: int = 100,
    out: PathLike | None = None,
    force: bool = False,
    resume: PathLike | None = None,
    scheme: str | None = None,
    player: str | None = None,
    against: str | Sequence[str] = (),
    openings: str | None = None,
    max_plies: int | None = None,
    rules: str | None = None,
    games: PathLike | None = None,
    values: bool = False,
    seed: int = 1,
    data: PathLike | None = None,
    threads: int | None = None,
    progress: bool = True,
) -> Evolution:
    """Evolves the weights of an evaluation, as `tablero evolve` does.

    `genome` is an evaluation of the game ("jma", "classic"), "net", "growing", "fixed" or "markers"; `scheme` "es",
    "othello7", "cmaes", ... with options. Fitness is the score against the hall of fame and `against`, or with `games`
    the prediction of their results (`values`: of their search values). The population is written to `out` after every
    generation. After Ctrl-C, `resume=out` continues the run with its own options; of a finished run it starts from its
    population. Jobs are kept in `data`, by default where the program keeps its own.
    """
    if out is not None and (resume is None or Path(resume).absolute() != Path(out).absolute()):
        _check_new(out, force)
    options = {
        "genome": genome,
        "generations": generations,
        "out": out,
        "resume": resume,
        "scheme": scheme,
        "player": player,
        "against": [against] if isinstance(against, str) else list(against),
        "openings": openings,
        "max_plies": max_plies,
        "rules": rules,
        "games": games,
        "values": values,
    }
    command = _command("evolve", game, {**options, "against": against or None, "values": values or None, "seed": seed})
    with bar(progress, "generations") as shown:
        return Evolution._of(
            _tablero.evolve(
                game, _json(options), command, seed=seed, data=_data(data), threads=threads, report=shown
            )
        )


def tune(
    game: str,
    eval: str,
    data: PathLike | Iterable[PathLike],
    out: PathLike,
    *,
    force: bool = False,
    q_ratio: float = 0.7,
    rounds: int = 3,
    games: int = 5000,
    progress: bool = True,
) -> Tuning:
    """Tunes the weights of a hand-written evaluation by gradient (Texel's method), as `tablero tune` does.

    `data` are files of `selfplay` (.jsonl), folders of `learn`, or any game files; every tenth game is held out.
    """
    _check_new(out, force)
    options = {"eval": eval, "data": _paths(data), "out": out, "q_ratio": q_ratio, "rounds": rounds, "games": games}
    with bar(progress, "rounds") as shown:
        found = json.loads(_tablero.tune(game, _json(options), report=shown))
    return Tuning(**{**found, "file": Path(found["file"]), "errors": np.array(found["errors"])})


def experiments() -> list[dict[str, str]]:
    """The experiments of earlier works: name, game, title, work, and the result that is expected."""
    return json.loads(_tablero.experiments())["works"]


def experiment_plan(template: str = "match", game: str = "othello") -> str:
    """The text of a plan (TOML) for an experiment of your own; `experiment` runs it from a file."""
    return _tablero.experiment_plan(template, game)


def experiment(
    name: PathLike,
    *,
    quick: bool = False,
    out: PathLike | None = None,
    seed: int | None = None,
    again: bool = False,
    data: PathLike | None = None,
    threads: int | None = None,
    progress: bool = True,
) -> ExperimentResult:
    """Runs an experiment of an earlier work (see `experiments`) or a plan of your own (.toml).

    `out` is a folder for the report with plots. After Ctrl-C the same call continues; what was measured already is not
    measured again, unless `again`. `quick` plays few games, for a smoke test. Jobs are kept in `data`, by default
    where the program keeps its own.
    """
    with bar(progress, "") as shown:
        found = json.loads(
            _tablero.experiment(
                os.fspath(name),
                quick=quick,
                out=None if out is None else Path(out),
                seed=seed,
                again=again,
                data=_data(data),
                threads=threads,
                report=shown,
            )
        )
    return ExperimentResult(**{**found, "report": None if found["report"] is None else Path(found["report"])})
