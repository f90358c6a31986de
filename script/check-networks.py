#!/usr/bin/env python3
"""Checks the exchange of networks with Keras and ONNX Runtime: equal outputs for the same inputs.

    script/check-networks.py target/release/tablero

Needs the packages `keras`, `scipy`, `jax` and `onnxruntime`. Exits with status 1 if a check fails.
"""

import json
import logging
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ["KERAS_BACKEND"] = "numpy"
import keras
import numpy
import onnxruntime

TOLERANCE = 1e-4
# Keras calls its older format legacy in every run.
logging.getLogger("absl").setLevel(logging.ERROR)

# Positions of each game, as moves, and every kind of network that it has.
START = "---------------------------OX------XO--------------------------- X"
OTHELLO = [START, "f5d6c3d3c4", "f5d6c3d3c4f4c5b3c2e3d2c6b4b5"]
CASES = [
    ("othello", OTHELLO, ["mlp 65-128-64-32-1", "mlp 65-16-8-1 absolute", "mlp 256-16-1"]),
    ("othello", OTHELLO, ["resnet 2x16", "resnet 1x8 ownership"]),
    ("chess", ["1. e4 e5 2. Nf3 Nc6", "1. d4 d5 2. c4 c6 3. Nc3"], ["resnet 2x16", "resnet 1x8 mover", "resnet 1x8 attacks"]),
    ("shobu", ["b wwww........bbbb wwww........bbbb wwww........bbbb wwww........bbbb"], ["resnet 1x8"]),
    ("connectfour", ["44533"], ["resnet 1x8 ownership"]),
    ("tictactoe", ["x .x. .o. ..."], ["resnet 1x8", "mlp 10-8-1 absolute"]),
]


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def run(*arguments):
    done = subprocess.run([TABLERO, *map(str, arguments)], capture_output=True, text=True)
    check(done.returncode == 0, f"tablero {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def outputs(net, game, position):
    """What the program says: inputs and outputs of a network."""
    return json.loads(run("show", position, "--game", game, "--net", net, "--json"))["net"]


def close(found, expected, what):
    difference = float(numpy.abs(numpy.asarray(found).ravel() - numpy.asarray(expected).ravel()).max())
    check(difference < TOLERANCE, f"{what}: outputs differ by {difference}")
    return difference


def random_network(folder, game, kind):
    """A network after a step of training on a game or two, so that normalizations are not trivial."""
    games, net = folder / f"{game}.jsonl", folder / f"{game}-{kind.replace(' ', '-')}.safetensors"
    if not games.exists():
        run("selfplay", game, "--player", "random", "--games", 4, "--max-plies", 80, "--out", games)
    run("train", game, "--data", games, "--net", kind, "--epochs", 2, "--batch-size", 16, "--out", net)
    return net


def check_onnx(net, game, positions):
    file = net.with_suffix(".onnx")
    run("convert", net, file)
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    shape = session.get_inputs()[0].shape
    worst = 0.0
    for position in positions:
        ours = outputs(net, game, position)
        values = numpy.array(ours["input"], "float32").reshape([1, *shape[1:]])
        theirs = dict(zip((output.name for output in session.get_outputs()), session.run(None, {"input": values})))
        worst = max(worst, close(theirs["value"], ours["value_output"], f"{file.name}, value"))
        for name in ("policy", "ownership"):
            if name in theirs:
                worst = max(worst, close(theirs[name], ours[f"{name}_output"], f"{file.name}, {name}"))
    # What was written is read again.
    again = net.with_name(f"{net.stem}-from-onnx.safetensors")
    run("convert", file, again, "--game", game)
    close(outputs(again, game, positions[-1])["value_output"], ours["value_output"], f"{file.name}, read again")
    # A batch gives what its positions give.
    batch = numpy.repeat(values, 3, axis=0)
    close(session.run(["value"], {"input": batch})[0], [ours["value_output"]] * 3, f"{file.name}, batch")
    return worst


def check_keras(net, game, positions):
    worst = 0.0
    for extension in ("keras", "h5"):
        file = net.with_suffix(f".{extension}")
        run("convert", net, file)
        model = keras.models.load_model(file)
        for position in positions:
            ours = outputs(net, game, position)
            theirs = model.predict(numpy.array([ours["input"]], "float32"), verbose=0)
            worst = max(worst, close(theirs, ours["value_output"], file.name))
        # Saved again by Keras, it is another file with the same network.
        again = net.with_name(f"{net.stem}-again.{extension}")
        model.save(again)
        worst = max(worst, check_import(model, again, game, positions, "absolute" in net.stem))
    return worst


def check_import(model, file, game, positions, is_absolute):
    """Keras does not keep our metadata: networks of the size are read as absolute ones."""
    worst = 0.0
    if is_absolute:
        for position in positions:
            ours = outputs(file, game, position)
            theirs = model.predict(numpy.array([ours["input"]], "float32"), verbose=0)
            worst = max(worst, close(theirs, ours["value_output"], file.name))
    return worst


def check_otelo(folder):
    """A network made by Keras as Otelo's was plays, in both formats."""
    keras.utils.set_random_seed(7)
    model = keras.Sequential([keras.layers.Input(shape=(65,))])
    for units in (128, 64, 32):
        model.add(keras.layers.Dense(units, activation="relu"))
    model.add(keras.layers.Dense(1, activation="tanh"))
    for name in ("red_otelo.h5", "red_otelo.keras"):
        file = folder / name
        model.save(file)
        check_import(model, file, "othello", OTHELLO, True)
        line = f"mcts net={file} iterations=20"
        summary = json.loads(run("match", "othello", line, "random", "--games", 2, "--data", folder / "data", "--json"))
        check(summary["games"] == 2 and summary["illegal"] == 0, f"{name} plays: {summary}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_otelo(folder)
        print("networks made by Keras: equal values, and they play")
        for game, positions, kinds in CASES:
            for kind in kinds:
                net = random_network(folder, game, kind)
                worst = check_onnx(net, game, positions)
                if kind.startswith("mlp"):
                    worst = max(worst, check_keras(net, game, positions))
                print(f"{game}, {kind}: outputs differ by at most {worst:.1e}")


TABLERO = sys.argv[1] if len(sys.argv) > 1 else sys.exit(__doc__)
main()
