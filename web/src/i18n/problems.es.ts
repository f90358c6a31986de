/** The server's problems in Spanish. */

import type { Location } from '../api/types'
import type { ProblemTexts } from './problems'
import { esText } from './texts.es'

const place = (location: Location) =>
  'byte' in location ? `byte ${location.byte}` : `línea ${location.line}, columna ${location.column}`

/** What a reader stopped at. */
const unread = (error: { location: Location; found: string; expected: string }) =>
  `${place(error.location)}: hay ${esText(error.found)}, se esperaba ${esText(error.expected)}`

const list = (names: string[]) => names.join(', ')

export const esProblems: ProblemTexts = {
  // Requests.
  invalid_request: ({ reason }) => `petición no válida: ${reason}`,
  invalid_message: ({ reason }) => `no es un mensaje de cliente: ${reason}`,
  not_a_web_socket: ({ reason }) => `esto es un WebSocket: ${reason}`,
  binary_message: 'los mensajes son texto: un objeto JSON cada uno',
  no_such_endpoint: ({ method, path }) => `no existe \`${method} ${path}\`; mira /api/openapi.json`,
  no_such_page: ({ path }) => `no existe \`${path}\``,
  read_only: 'la página solo se puede leer',
  cross_site: 'esta petición viene de otra página; abre la del servidor',
  wrong_host: 'el servidor no se llama así; usa su dirección, como 127.0.0.1',
  token_needed: 'abre la dirección que el servidor escribió al empezar: lleva la clave',
  out_of_range: ({ name, asked, least, most }) => `${name} es ${asked}; este servidor permite de ${least} a ${most}`,
  too_many_watched: ({ most }) => `se pueden seguir ${most} partidas a la vez`,
  too_many_searches: ({ most }) => `se pueden hacer ${most} búsquedas a la vez`,
  stopping: 'el servidor está terminando',
  internal: ({ reason }) => `error del servidor: ${esText(reason)}`,

  // Games and positions.
  no_such_game: ({ asked, known }) => `no existe el juego \`${asked}\`; hay ${list(known)}`,
  no_such_rules: ({ game, asked, known }) => `${game} no tiene las reglas \`${asked}\`; hay ${list(known)}`,
  no_such_start: ({ game, number }) => `${game} no tiene la posición inicial número ${number}`,
  invalid_position: (error) => `posición: ${unread(error)}`,
  invalid_move_of_line: ({ number, name, ...error }) => `jugada ${number} (\`${name}\`): ${unread(error)}`,
  illegal_move: unread,
  position_or_board: 'da una posición o un tablero, no ambos',
  wrong_cell_count: ({ found, expected }) => `el tablero tiene ${found} casillas, se esperaban ${expected}`,
  no_such_piece: ({ letter, game, first, second }) => `\`${letter}\` no es una pieza de ${game}; hay ${first}, ${second} y \`.\``,
  move_time_range: 'el tiempo por jugada va de 100 ms a un día',
  clock_range: 'un reloj empieza con entre un segundo y un día, y añade un día como mucho',

  // Games of the library.
  game_not_found: ({ id }) => `no existe la partida \`${id}\``,
  game_deleted: ({ id }) => `la partida \`${id}\` fue borrada`,
  game_not_kept: ({ reason }) => `no se pudo guardar la partida: ${reason}`,
  invalid_game: ({ reason }) => `partida no válida: ${esText(reason)}`,
  library_full: ({ most }) => `la biblioteca tiene ${most} partidas; borra algunas antes`,
  node_not_found: ({ node }) => `la partida no tiene la posición ${node}`,
  game_over: 'la partida ha terminado aquí',
  machines_turn: 'es el turno de una máquina; pausa la partida o juega en otro punto',
  nothing_to_undo: 'no hay jugada que deshacer',
  nothing_to_redo: 'no hay jugada que rehacer',
  agreement_needs_two_people: 'solo dos personas pueden acordar tablas',
  no_draw_to_claim: 'en esta posición no se pueden reclamar tablas',
  too_many_moves: ({ most }) => `una partida tiene como mucho ${most} jugadas`,
  variations_too_deep: ({ most }) => `las variantes tienen como mucho ${most} niveles`,
  comment_too_long: ({ most }) => `un comentario tiene como mucho ${most} bytes`,
  too_many_glyphs: ({ most }) => `una jugada tiene como mucho ${most} signos`,
  start_cannot_be_deleted: 'la posición inicial no se puede borrar',
  already_main_line: 'ya está en la línea principal',
  no_moves_to_review: 'la partida no tiene jugadas que revisar',

  // Files and shared text.
  no_such_format: ({ asked, known }) => `no existe el formato \`${asked}\`; hay ${list(known)}`,
  unknown_format: ({ beginning, known }) => `formato desconocido: empieza con \`${beginning}\`; hay ${list(known)}`,
  damaged_file: ({ format, game, ...error }) => `archivo ${format} de ${game} no válido: ${unread(error)}`,
  empty_file: 'no contiene ninguna partida ni posición',
  no_such_companion: ({ format, extension }) => `un archivo ${format} no lleva al lado un archivo \`${extension}\``,
  not_exportable: ({ reason }) => `no se puede exportar: ${reason}`,
  invalid_pick: ({ asked }) => `pick es \`all\` o números como 0,3,7, no \`${asked}\``,
  too_many_imported: ({ most, count }) => `se importan como mucho ${most} partidas a la vez, elige menos de las ${count}`,
  share_parts_missing: 'al enlace le falta una parte',
  share_too_long: ({ most }) => `el texto compartido tiene como mucho ${most} bytes`,

  // Players.
  invalid_player: ({ player, reason }) => `jugador \`${player}\`: ${esText(reason)}`,
  player_line_too_long: ({ most }) => `una línea de jugador tiene como mucho ${most} bytes`,
  search_limit: ({ option, most }) => `este servidor da a una búsqueda ${option}=${most} como mucho`,
  move_time_limit: ({ most_ms }) => `este servidor da a una jugada time=${most_ms}ms como mucho`,
  player_failed: ({ player, reason }) => `falló el jugador \`${player}\`: ${esText(reason)}`,

  // Jobs.
  job_not_found: ({ job }) => `no existe el trabajo \`${job}\``,
  job_busy: ({ job }) => `el trabajo \`${job}\` ya está en marcha`,
  job_running: ({ job }) => `el trabajo \`${job}\` está en marcha; detenlo antes`,
  job_running_or_finished: ({ job }) => `el trabajo \`${job}\` está en marcha o terminado`,
  job_not_run_here: ({ job }) => `este servidor no ejecuta el trabajo \`${job}\``,
  job_of_command_line: ({ job, kind }) => `los trabajos de clase \`${kind}\` se reanudan en la terminal: tablero jobs resume ${job}`,
  not_a_match: ({ job }) => `el trabajo \`${job}\` no juega partidas`,
  not_an_evolution: ({ job }) => `el trabajo \`${job}\` no es una evolución`,
  not_a_learning_run: ({ job }) => `el trabajo \`${job}\` no es un aprendizaje`,
  job_game_not_found: ({ job, index }) => `el trabajo \`${job}\` no tiene la partida ${index}`,
  generation_not_found: ({ job, generation }) => `${job} no tiene la generación ${generation}`,
  lesson_not_found: ({ job, generation, index }) => `${job} no tiene la partida ${index} de la generación ${generation}`,
  player_count: ({ most }) => `un encuentro necesita dos jugadores, un torneo hasta ${most}`,
  test_needs_two_players: 'solo un encuentro de dos jugadores puede ser una prueba',
  invalid_test: ({ reason }) => `prueba no válida: ${reason}`,
  invalid_openings: ({ reason }) => `aperturas no válidas: ${esText(reason)}`,
  invalid_clock: ({ reason }) => `reloj no válido: ${reason}`,
  invalid_match: ({ reason }) => `encuentro no válido: ${esText(reason)}`,
  too_many_opponents: ({ most }) => `hay ${most} rivales fijos como mucho`,
  invalid_evolution: ({ reason }) => `evolución no válida: ${esText(reason)}`,
  invalid_learning_run: ({ reason }) => `aprendizaje no válido: ${esText(reason)}`,
}
