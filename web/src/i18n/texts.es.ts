/**
 * Texts in Spanish that the server passes on from below without a code: what a reader found and expected, what is
 * wrong with a player line, how far a job is and why it failed. They come in English with something in the middle,
 * for which `{}` stands here; in Spanish `{1}`, `{2}` … name it, and it may have a translation of its own.
 */

import { compile, rephrase } from './patterns'

export const esTexts: [english: string, spanish: string][] = [
  // Frames with another sentence in them.
  ['player `{}`: {}', 'jugador `{1}`: {2}'],
  ['line {}, column {}: found {}, expected {}', 'línea {1}, columna {2}: hay {3}, se esperaba {4}'],
  ['not a right .evl file: {}', 'no es un archivo .evl correcto: {1}'],
  ['not a right file of genomes: {}', 'no es un archivo de genomas correcto: {1}'],

  // Games.
  ['a game has at most {} moves', 'una partida tiene como mucho {1} jugadas'],

  // Positions.
  ['pieces with one king for {}, not {}', 'un solo rey para {1}, no {2}'],
  ['pieces with at most 8 pawns for {}, not {}', 'como mucho 8 peones para {1}, no {2}'],
  ['at most 16 pieces for {}, not {}', 'como mucho 16 piezas para {1}, no {2}'],
  ['no pawn on rank {}', 'ningún peón en la fila {1}'],
  ['kings that do not touch, as on {} and {}', 'reyes que no se toquen, como en {1} y {2}'],
  ['{} to move, or no check to {}', 'que jueguen las {1}, o que las {2} no estén en jaque'],
  ['the side to move: `w` or `b`', 'quién juega: `w` o `b`'],
  ['a blank after the eighth row', 'un espacio después de la octava fila'],
  ['`/` and the pieces of rank {}', '`/` y las piezas de la fila {1}'],
  ['{} more squares of rank {}: KQRBNP, kqrbnp or a number of empty ones', '{1} casillas más de la fila {2}: KQRBNP, kqrbnp o un número de vacías'],
  ['castling rights: letters of KQkq (or of the rooks), or `-`', 'derechos de enroque: letras de KQkq (o de las torres) o `-`'],
  ['castling rights for a king and a rook at home: {}\'s are not', 'derechos de enroque de un rey y una torre en su sitio: los de {1} no lo están'],
  ['castling rights of standard chess, king on the e-file and rook on the a- or h-file, or the rules chess960', 'derechos de enroque del ajedrez normal (rey en la columna e, torre en la a o la h) o las reglas chess960'],
  ['each castling right once', 'cada derecho de enroque una vez'],
  ['the en passant square (on rank {} with {} to move) or `-`', 'la casilla al paso (en la fila {1} si juegan las {2}) o `-`'],
  ['the square that a pawn\'s last move went over (and that may explain a check), or `-`', 'la casilla que saltó el último peón, o `-`'],
  ['the half-move clock: a number, usually 0 to 100', 'el contador de medias jugadas: un número, normalmente de 0 a 100'],
  ['the number of the move: 1 to 65535', 'el número de la jugada: de 1 a 65535'],
  ['nothing after the number of the move', 'nada después del número de la jugada'],
  ['a square a1-h8 or `pass`', 'una casilla a1-h8 o `pass`'],
  ['a square a1-c3', 'una casilla a1-c3'],
  ['a square: `x`, `o` or `.`', 'una casilla: `x`, `o` o `.`'],
  ['a free square of a game that is not over', 'una casilla libre de una partida sin terminar'],
  ['`x` or `o` to move, then nine squares', 'quién juega, `x` u `o`, y nueve casillas'],
  ['nothing after the ninth square', 'nada después de la novena casilla'],
  ['nothing after the move', 'nada después de la jugada'],
  ['nothing after the side to move', 'nada después de quién juega'],
  ['no move, the game is over', 'ninguna jugada: la partida ha terminado'],
  ['the only legal move `{}`', 'la única jugada legal, `{1}`'],
  ['a legal move', 'una jugada legal'],
  ['a legal move ({})', 'una jugada legal ({1})'],
  ['a legal turn', 'un turno legal'],
  ['one disc a square', 'una ficha por casilla'],
  ['the side to move, `X` or `O`', 'quién juega, `X` u `O`'],
  ['`X`, `O` or `-` for square {}', '`X`, `O` o `-` para la casilla {1}'],
  ['the side to move, `b` or `w`, then the four boards', 'quién juega, `b` o `w`, y los cuatro tableros'],
  ['nothing after the 64 squares of the four boards', 'nada después de las 64 casillas de los cuatro tableros'],
  ['a board without black and a board without white stones', 'un tablero sin piedras negras y otro sin blancas'],
  ['stones of at least one side on every board', 'piedras de al menos un bando en cada tablero'],
  ['at most four {} stones on the {} board', 'como mucho cuatro piedras {1} en el tablero {2}'],
  ['the end of the input', 'el final del texto'],
  ['the end of the line', 'el final de la línea'],
  ['a blank', 'un espacio'],
  ['black', 'negras'],
  ['white', 'blancas'],
  ['top left', 'de arriba a la izquierda'],
  ['top right', 'de arriba a la derecha'],
  ['bottom left', 'de abajo a la izquierda'],
  ['bottom right', 'de abajo a la derecha'],

  // Player lines.
  ['there is no player kind `{}`; there are {}', 'no existe la clase de jugador `{1}`; hay {2}'],
  ['`{}` has no option `{}`; it has {}', '`{1}` no tiene la opción `{2}`; tiene {3}'],
  ['`{}` takes only options like name=value, not `{}`', '`{1}` solo acepta opciones como nombre=valor, no `{2}`'],
  ['`{}` is given twice', '`{1}` está dos veces'],
  ['`eval={}`: {} knows {}', '`eval={1}`: {2} conoce {3}'],
  ['`{}={}`: {}', '`{1}={2}`: {3}'],
  ['files are not read here', 'aquí no se leen archivos'],
  ['files are not read here; known are {}', 'aquí no se leen archivos; se conocen {1}'],
  ['{} has no level `{}`; there are {}', '{1} no tiene el nivel `{2}`; hay {3}'],
  ['`{}={}`: {} is {}', '`{1}={2}`: {3} es {4}'],
  ['a whole number {} to {}', 'un número entero de {1} a {2}'],
  ['a number {} to {}', 'un número de {1} a {2}'],
  ['a time like 100ms, 1.5s or 2m', 'un tiempo como 100ms, 1.5s o 2m'],
  ['a quote is not closed in `{}`', 'falta cerrar unas comillas en `{1}`'],
  ['an empty player line; try `level intermediate` (see `tablero players`)', 'una línea de jugador vacía; prueba `level intermediate`'],
  ['`{}` starts another program, which is not allowed here', '`{1}` inicia otro programa, y eso no está permitido aquí'],
  ['`{}`: a line of greedy, minimax or alphabeta is expected, without eval=', '`{1}`: se espera una línea de greedy, minimax o alphabeta, sin eval='],

  // Jobs.
  ['there is no job `{}`', 'no existe el trabajo `{1}`'],
  ['{} wins, {} draws, {} losses', '{1} victorias, {2} empates, {3} derrotas'],
  ['generation {}: games', 'generación {1}: partidas'],
  ['generation {}: training', 'generación {1}: entrenamiento'],
  ['generation {}: against {}', 'generación {1}: contra {2}'],
  ['generation {} done', 'generación {1} terminada'],
  ['generation {}: {} of {}', 'generación {1}: {2} de {3}'],
  ['{} makes players of {}, not of {}', '{1} hace jugadores de {2}, no de {3}'],
  ['a job of kind `{}` makes no players', 'un trabajo de clase `{1}` no hace jugadores'],
  ['{} has no generation {}', '{1} no tiene la generación {2}'],
  ['a generation without anybody in it', 'una generación sin nadie'],
  ['there is no scheme `{}`; there are {}', 'no existe el esquema `{1}`; hay {2}'],
  ['{} has no genomes of kind `{}`; it has {}', '{1} no tiene genomas de clase `{2}`; tiene {3}'],
  ['cmaes needs genomes of one length, which {} has not', 'cmaes necesita genomas de una misma longitud, y {1} no los tiene'],
  ['these genomes are of kind `{}`, not `{}`', 'estos genomas son de clase `{1}`, no `{2}`'],
  ['`{}` is not start, random=PLIES, book or book=PLIES', '`{1}` no es start, random=JUGADAS, book ni book=JUGADAS'],

  // The server.
  ['that went wrong inside the server', 'algo falló dentro del servidor'],
]

const phrases = compile(esTexts)

export const esText = (text: string) => rephrase(text, phrases)
