import signal

import pytest

import tablero

GAMES = tablero.games()

# A shell starts background processes with SIGINT ignored, and Python then raises no KeyboardInterrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(params=GAMES)
def game(request):
    return request.param
