"""Learning: training, self-play, evolution, tuning, experiments."""

import pathlib
import signal
import threading
import time

import numpy as np
import pytest

import tablero
from tablero import _tablero


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "games.jsonl"
    tablero.selfplay("connectfour", "alphabeta depth=2", 40, path=path, random_plies=6, progress=False)
    return path


def interrupt(work, seconds=0.6):
    """Ctrl-C in the middle of a call."""
    timer = threading.Timer(seconds, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        work()
    assert time.monotonic() - start < 20
    timer.join()


def test_training(games, tmp_path):
    out = tmp_path / "net.safetensors"
    found = tablero.train("connectfour", games, out, net="resnet 1x8", epochs=4, lr=0.003, report=tmp_path / "report")
    assert found.file == out and found.positions > found.held_out_positions > 0
    names = {"epoch", "value", "value_error", "policy", "held_out_value", "held_out_value_error", "held_out_policy"}
    assert set(found.epochs) == names
    assert found.epochs["epoch"].tolist() == [1, 2, 3, 4]
    assert found.epochs["policy"][-1] < found.epochs["policy"][0], "it learns"
    assert found.network().kind == "resnet 1x8" and (tmp_path / "report/report.md").is_file()
    position = tablero.Position("connectfour")
    assert tablero.best(position, f"puct net={out} sims=8") in position.legal_moves
    again = tmp_path / "again.safetensors"
    tablero.train("connectfour", [games], again, net="resnet 1x8", epochs=4, lr=0.003, threads=1)
    assert again.read_bytes() == out.read_bytes(), "the same on any number of threads"
    with pytest.raises(FileExistsError, match="force=True"):
        tablero.train("connectfour", games, out)
    unvalidated = tablero.train("connectfour", games, out, net="resnet 1x8", epochs=1, held_out=0, force=True, init=again)
    assert set(unvalidated.epochs) == {"epoch", "value", "value_error", "policy"}


def test_training_of_an_nnue(games, tmp_path):
    found = tablero.train("connectfour", games, tmp_path / "c4.nnue", net="nnue 16", epochs=2, batch_size=64)
    assert len(found.epochs["training"]) == len(found.epochs["held_out"]) == 2
    position = tablero.Position("connectfour").play("4")
    assert tablero.best(position, f"alphabeta depth=2 eval={found.file}") in position.legal_moves
    assert tablero.explain(position, eval=found.file).terms


def test_an_interrupted_training_keeps_its_network(games, tmp_path):
    out = tmp_path / "net.safetensors"
    interrupt(lambda: tablero.train("connectfour", games, out, net="resnet 2x16", epochs=100_000))
    assert tablero.Network.load(out).kind == "resnet 2x16"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"held_out": 2}, ValueError, "held_out is 2; expected 0 to 0.9"),
        ({"held_out": 0, "keep": "best"}, ValueError, "need a validation set"),
        ({"lr": -1}, ValueError, "lr is -1; expected a number above 0"),
        ({"epochs": 0}, ValueError, "epochs is 0; expected 1 to"),
        ({"epochs": "many"}, ValueError, "epochs: invalid type: string"),
        ({"recipe": "soup"}, ValueError, "recipe: unknown variant `soup`, expected `otelo` or `hatchet1`"),
        ({"split": "half"}, ValueError, "split: unknown variant"),
        ({"backend": "burn"}, ValueError, "built without burn"),
        ({"device": "gpu"}, ValueError, "device gpu: the native backend trains on the processor"),
        ({"device": "cuda"}, ValueError, "expected cpu, gpu or gpu:N"),
        ({"net": "gru 3"}, ValueError, "resnet 6x64"),
        ({"net": "mlp 3-1"}, ValueError, "inputs"),
        ({"net": "nnue 8"}, ValueError, "expected a .nnue file"),
        ({"out": "net.txt"}, ValueError, "expected a .safetensors, .keras, .h5, .onnx file"),
        ({"data": "/no/such.jsonl"}, ValueError, "/no/such.jsonl: does not exist"),
        ({"data": []}, ValueError, "at least one file"),
        ({"threads": 0}, ValueError, "threads must be 1 to"),
        ({"epoch": 3}, TypeError, "epoch"),
    ],
)
def test_wrong_training_says_what_is_right(games, tmp_path, options, error, message):
    given = {"data": games, "out": tmp_path / "net.safetensors", "progress": False, **options}
    with pytest.raises(error, match=message):
        tablero.train("connectfour", **given)
    assert not (tmp_path / "net.safetensors").exists()


SMALL = {"games": 12, "sims": 4, "fast_sims": 2, "eval_games": 2, "anchor_games": 2, "anchor": ["random"]}


def test_learning(tmp_path):
    found = tablero.learn("tictactoe", tmp_path / "run", quick=True, generations=2, net="resnet 1x4", **SMALL)
    assert found.folder == tmp_path / "run" and found.is_finished and len(found.generations) == 2
    assert found.best in (found.folder / "best.safetensors", None)
    assert found.curves["generation"].tolist() == [1, 2] and {"elo", "held_out_value", "games"} <= set(found.curves)
    assert (found.folder / "report.md").is_file() and (found.folder / "games-2.jsonl").is_file()
    again = tablero.learn("tictactoe", tmp_path / "run")
    assert again.history == found.history, "a finished run stays as it is"
    with pytest.raises((ValueError, OSError), match="holds a run with seed 1, not 7"):
        tablero.learn("tictactoe", tmp_path / "run", seed=7)


def test_an_interrupted_run_is_resumed(tmp_path):
    options = {"quick": True, "generations": 6, "net": "resnet 1x4", **SMALL, "games": 100, "sims": 30}
    interrupt(lambda: tablero.learn("connectfour", tmp_path / "run", **options))
    resumed = tablero.learn("connectfour", tmp_path / "run")
    whole = tablero.learn("connectfour", tmp_path / "whole", **options)
    assert len(resumed.generations) == 6
    files = ["generation-6.safetensors", "games-6.jsonl"]
    for file in files:
        assert (resumed.folder / file).read_bytes() == (whole.folder / file).read_bytes(), file


def test_hours_end_a_run(tmp_path):
    found = tablero.learn("tictactoe", tmp_path / "run", hours=0.0003, net="resnet 1x4", games=500, progress=False)
    assert not found.is_finished


def test_options_of_learning_are_those_of_the_program():
    assert set(tablero.LearnOptions.__annotations__) == set(_tablero.learn_options())


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"game": 3}, TypeError, None),
        ({"gams": 3}, TypeError, "no option `gams`, expected one of `generations`, `games`"),
        ({"games": 0}, ValueError, "games is 0; expected 1 to"),
        ({"sims": -1}, ValueError, "sims: invalid value"),
        ({"net": "nothing"}, ValueError, "resnet 6x64"),
        ({"net": "nnue wide"}, ValueError, "nnue WIDTH"),
        ({"net": "patterns"}, ValueError, "for othello only"),
        ({"teacher": "nobody"}, ValueError, "nobody"),
        ({"teacher_games": 3}, ValueError, "teacher_games needs a teacher"),
        ({"rules": "none"}, ValueError, "no rules `none`"),
        ({"lr_schedule": "fast"}, ValueError, "expected one of `constant`, `cosine`, `step`"),
        ({"gate": 0.5, "eval_games": 0}, ValueError, "gating needs"),
        ({"full_search_prob": 2}, ValueError, "full_search_prob is 2; expected"),
        ({"init": "nowhere.safetensors"}, ValueError, "nowhere.safetensors"),
        ({"hours": 0}, ValueError, "hours"),
        ({"backend": "burn"}, ValueError, "built without burn"),
        ({"device": "gpu"}, ValueError, "device gpu: the native backend trains on the processor"),
        ({"device": "cuda"}, ValueError, "expected cpu, gpu or gpu:N"),
    ],
)
def test_wrong_learning_says_what_is_right(tmp_path, options, error, message):
    with pytest.raises(error, match=message):
        tablero.learn("tictactoe", tmp_path / "run", progress=False, **options)
    assert not (tmp_path / "run").exists()


EVOLUTION = {"scheme": "othello7 population=4", "player": "minimax depth=1"}


def test_evolution(tmp_path):
    out = tmp_path / "sci.evl"
    found = tablero.evolve("othello", "sci", generations=3, out=out, data=tmp_path, **EVOLUTION)
    assert found.file == out and out.is_file() and found.games > 0
    assert found.generations["generation"].tolist() == [1, 2, 3] and {"best", "mean", "sigma"} <= set(found.generations)
    assert found.population.shape[1] == len(found.best)
    position = tablero.Position("othello")
    assert tablero.best(position, f"alphabeta depth=2 eval={out}") in position.legal_moves
    assert tablero.explain(position, eval=out).terms
    with pytest.raises(FileExistsError, match="force=True"):
        tablero.evolve("othello", "sci", out=out, data=tmp_path)
    more = tablero.evolve("othello", "sci", generations=1, out=out, resume=out, data=tmp_path, **EVOLUTION)
    assert more.generations["generation"].tolist() == [4], "it starts from the population of the file"


def test_an_interrupted_evolution_is_resumed(tmp_path):
    # Long enough to be interrupted in the middle also on a fast machine.
    options = {"scheme": "othello7 population=6", "player": "minimax depth=2", "generations": 40}
    killed, whole = tmp_path / "killed.genes", tmp_path / "whole.genes"
    interrupt(lambda: tablero.evolve("othello", "sci", out=killed, data=tmp_path, **options), 0.3)
    resumed = tablero.evolve("othello", "sci", resume=killed, data=tmp_path)
    expected = tablero.evolve("othello", "sci", out=whole, data=tmp_path, **options)
    assert resumed.file == killed and resumed.best == expected.best
    np.testing.assert_array_equal(resumed.generations["mean"], expected.generations["mean"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"genome": "nothing"}, "nothing"),
        ({"scheme": "magic"}, "there is no scheme `magic`; there are"),
        ({"generations": 0}, "at least 1 generation"),
        ({"player": "wizard"}, "wizard"),
        ({"against": "wizard"}, "wizard"),
        ({"openings": "often"}, "often"),
        ({"rules": "odd"}, "odd"),
        ({"out": "x.evl", "genome": "classic", "game": "chess"}, "another extension"),
        ({"resume": "/no/such.genes"}, "/no/such.genes"),
    ],
)
def test_wrong_evolution_says_what_is_right(tmp_path, options, message):
    given = {"game": "othello", "genome": "sci", "data": tmp_path, "progress": False, **options}
    with pytest.raises((ValueError, OSError), match=message):
        tablero.evolve(**given)


def test_tuning(games, tmp_path):
    out = tmp_path / "tuned.genes"
    found = tablero.tune("connectfour", "lines", games, out, rounds=2)
    assert found.games == 40 and found.errors.shape == (3, 2) and found.errors[-1, 0] <= found.errors[0, 0]
    assert tablero.explain(tablero.Position("connectfour").play("4"), eval=out).terms
    with pytest.raises(FileExistsError):
        tablero.tune("connectfour", "lines", games, out)
    for options, message in [
        ({"eval": "nothing"}, "nothing"),
        ({"rounds": 0}, "rounds is 0; expected 1 to 1000"),
        ({"q_ratio": 2}, "q_ratio is 2; expected 0 to 1"),
        ({"data": []}, "data is missing"),
        ({"data": "/no/such.jsonl"}, "/no/such.jsonl"),
    ]:
        with pytest.raises(ValueError, match=message):
            tablero.tune("connectfour", **{"eval": "lines", "data": games, "out": tmp_path / "x.genes", **options})


def test_experiments(tmp_path):
    works = tablero.experiments()
    assert "unicen" in {work["name"] for work in works}
    plan = tmp_path / "mine.toml"
    plan.write_text(tablero.experiment_plan("match", "tictactoe"))
    found = tablero.experiment(plan, quick=True, out=tmp_path / "report", data=tmp_path)
    assert found.name == "mine" and found.report.is_file() and found.results["matches"]
    assert found.title in str(found) and found.tables
    start = time.monotonic()
    assert tablero.experiment(plan, quick=True, data=tmp_path).results == found.results
    assert time.monotonic() - start < 1, "it is not measured again"


def test_wrong_experiments_say_what_is_right(tmp_path):
    plan = tmp_path / "plan.toml"
    for text, message in [("game = 3", "plan.toml"), ("", "plan.toml")]:
        plan.write_text(text)
        with pytest.raises(ValueError, match=message):
            tablero.experiment(plan, data=tmp_path)
    with pytest.raises(ValueError, match="unknown experiment `nothing`; known experiments"):
        tablero.experiment("nothing", data=tmp_path)
    with pytest.raises(ValueError, match="unknown template `nothing`"):
        tablero.experiment_plan("nothing")
    with pytest.raises((ValueError, OSError), match="missing.toml"):
        tablero.experiment(tmp_path / "missing.toml", data=tmp_path)


def test_an_interrupted_experiment_is_resumed(tmp_path):
    plan = tmp_path / "mine.toml"
    plan.write_text(tablero.experiment_plan("match", "othello"))
    interrupt(lambda: tablero.experiment(plan, data=tmp_path))
    jobs = list(pathlib.Path(tmp_path, "jobs").iterdir())
    assert len(jobs) == 1
    interrupt(lambda: tablero.experiment(plan, data=tmp_path))
    assert list(pathlib.Path(tmp_path, "jobs").iterdir()) == jobs, "the same job continues"
