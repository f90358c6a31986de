import pytest

import tablero

GAMES = tablero.games()


@pytest.fixture(params=GAMES)
def game(request):
    return request.param
