#!/usr/bin/env python3
"""Makes the files of this folder with Keras: a small network like Otelo's, trained a little, saved in both formats,
and its outputs for two positions of Othello (Otelo's coding: 0 empty, 1 black, 2 white; then the side that moved).

    KERAS_BACKEND=jax python make.py     # keras 3.15.1, jax, h5py
"""

import json
import pathlib

import keras
import numpy
from keras.layers import Dense, Input

FOLDER = pathlib.Path(__file__).parent

start = [0] * 64
start[27] = start[36] = 2
start[28] = start[35] = 1
after_f5 = start.copy()
after_f5[36] = after_f5[37] = 1
positions = {"start": start + [2], "f5": after_f5 + [1]}

keras.utils.set_random_seed(7)
network = keras.Sequential()
network.add(Input(shape=(65,)))
network.add(Dense(16, activation="relu"))
network.add(Dense(8, activation="relu"))
network.add(Dense(4, activation="relu"))
network.add(Dense(1, activation="tanh"))
network.compile(
    optimizer=keras.optimizers.SGD(learning_rate=0.01), loss="mean_squared_error", metrics=["mean_absolute_error"]
)
boards = numpy.random.default_rng(1).integers(0, 3, (400, 65)).astype("float32")
winners = numpy.sign((boards[:, :64] == 2).sum(1) - (boards[:, :64] == 1).sum(1)).astype("float32")
network.fit(boards, winners, epochs=5, batch_size=32, verbose=0)
network.save(FOLDER / "otelo.keras")
network.save(FOLDER / "otelo.h5")
outputs = network.predict(numpy.array(list(positions.values()), "float32"), verbose=0)[:, 0]
text = json.dumps({name: float(output) for name, output in zip(positions, outputs)}, indent=2)
(FOLDER / "outputs.json").write_text(text + "\n")
