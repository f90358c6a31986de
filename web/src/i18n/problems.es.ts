/** The texts of the server's errors in Spanish. */

import type { Localized, Location, OptionValues } from '../api/types'
import { formatNumber } from './numbers'
import type { ProblemTexts } from './problems'

const place = (location: Location) =>
  'byte' in location ? `byte ${location.byte}` : `línea ${location.line}, columna ${location.column}`

/** Where a parser stopped, and at what. */
const unread = (error: { location: Location; found: Localized; expected: Localized }) =>
  `${place(error.location)}: se encontró ${error.found.es}, se esperaba ${error.expected.es}`

const list = (names: string[]) => names.join(', ')

const decimal = (number: string) => number.replace('.', ',')

function allowedValues(values: OptionValues): string {
  switch (values.kind) {
    case 'integer':
      return `un entero de ${values.min} a ${values.max}`
    case 'number':
      return `un número de ${formatNumber(values.min)} a ${formatNumber(values.max)}`
    case 'duration':
      return 'un tiempo como 100ms, 1.5s o 2m'
    case 'choice':
      return list(values.values)
  }
}

export const esProblems: ProblemTexts = {
  // Requests.
  invalid_request: ({ reason }) => `petición no válida: ${reason}`,
  invalid_message: ({ reason }) => `mensaje de cliente no válido: ${reason}`,
  not_a_web_socket: ({ reason }) => `no es una petición de WebSocket: ${reason}`,
  binary_message: 'los mensajes deben ser texto, un objeto JSON cada uno',
  endpoint_not_found: ({ method, path }) => `no existe \`${method} ${path}\`; consulta /api/openapi.json`,
  page_not_found: ({ path }) => `no existe la página \`${path}\``,
  read_only: 'la página es de solo lectura',
  cross_site: 'petición de otro sitio rechazada; abre la página del servidor',
  unknown_host: 'nombre de servidor desconocido; usa su dirección, como 127.0.0.1',
  token_required: 'hace falta una clave: abre la dirección que el servidor mostró al arrancar',
  guest_not_permitted: 'una invitación solo abre su propia partida',
  body_too_large: ({ max }) => `el cuerpo de esta petición tiene como mucho ${max} bytes`,
  body_timeout: 'el cuerpo de la petición no llegó a tiempo',
  too_many_connections: 'demasiadas conexiones; inténtalo más tarde',
  out_of_range: ({ name, value, min, max }) => `${name} es ${value}; este servidor permite de ${min} a ${max}`,
  too_many_subscriptions: ({ max }) => `se pueden seguir como mucho ${max} partidas a la vez`,
  too_many_searches: ({ max }) => `se pueden hacer como mucho ${max} búsquedas a la vez`,
  shutting_down: 'el servidor se está cerrando',
  internal: ({ reason }) => `error interno del servidor: ${reason}`,

  // Games and positions.
  unknown_game: ({ name, available }) => `juego desconocido \`${name}\`; hay ${list(available)}`,
  unknown_rules: ({ game, name, available }) => `${game} no tiene las reglas \`${name}\`; hay ${list(available)}`,
  unknown_start: ({ game, number }) => `${game} no tiene la posición inicial número ${number}`,
  wrong_game: ({ found, expected }) => `es de ${found}, no de ${expected}`,
  invalid_position: (error) => `posición: ${unread(error)}`,
  invalid_move_in_line: ({ number, name }) => `la jugada ${number} (\`${name}\`) no es legal`,
  illegal_move: ({ name, legal }) => `\`${name}\` no es una jugada legal; jugadas legales: ${list(legal)}`,
  position_or_board: 'indica una posición o un tablero, no ambos',
  wrong_cell_count: ({ found, expected }) => `el tablero tiene ${found} casillas, se esperaban ${expected}`,
  unknown_piece: ({ letter, game, first, second }) => `${game} no tiene la pieza \`${letter}\`; hay ${first}, ${second} y \`.\``,
  move_time_range: 'el tiempo por jugada debe ser de 100 ms a un día',
  clock_range: 'un reloj debe empezar con entre un segundo y un día, y añadir como mucho un día',

  // The library.
  game_not_found: ({ id }) => `no existe la partida \`${id}\``,
  game_deleted: ({ id }) => `la partida \`${id}\` se ha borrado`,
  game_not_saved: ({ reason }) => `no se pudo guardar la partida: ${reason}`,
  invalid_game_file: ({ reason }) => `archivo de partida no válido: ${reason}`,
  unsupported_game_file: ({ found, supported }) => `el archivo de la partida tiene la versión de formato ${found}; este programa admite la ${supported}`,
  corrupt_tree: ({ node }) => `el árbol de jugadas de la partida está dañado en el nodo ${node}`,
  illegal_stored_move: ({ node, name }) => `la partida tiene una jugada ilegal \`${name}\` en el nodo ${node}`,
  library_full: ({ max }) => `la biblioteca está llena (${max} partidas); borra algunas antes`,
  node_not_found: ({ node }) => `la partida no tiene el nodo ${node}`,
  game_over: 'la partida ha terminado aquí',
  engine_turn: 'es el turno de la máquina; pausa la partida o juega en otro nodo',
  nothing_to_undo: 'no hay jugada que deshacer',
  nothing_to_redo: 'no hay jugada que rehacer',
  draw_declined: 'la máquina rechaza las tablas',
  draw_offer_too_early: ({ plies }) => `la máquina considera tablas después de ${plies} jugadas`,
  offer_needs_opponent: 'no hay rival a quien ofrecer tablas',
  offered_already: 'ya se ofreció; espera a la próxima jugada',
  no_offer: 'no hay ninguna oferta que responder',
  not_your_seat: 'eso es para quien juega en este asiento',
  remote_game_running: 'no mientras sigue la partida con un jugador a distancia',
  invitation_needs_humans: 'solo una partida entre dos personas puede tener una invitación',
  name_too_long: ({ max }) => `un nombre tiene como mucho ${max} bytes`,
  agreement_needs_two_humans: 'solo dos personas pueden acordar tablas',
  no_draw_to_claim: 'en esta posición no se pueden reclamar tablas',
  too_many_moves: ({ max }) => `una partida tiene como mucho ${max} jugadas`,
  variations_too_deep: ({ max }) => `las variantes se pueden anidar como mucho ${max} niveles`,
  comment_too_long: ({ max }) => `un comentario tiene como mucho ${max} bytes`,
  too_many_glyphs: ({ max }) => `una jugada tiene como mucho ${max} signos`,
  cannot_delete_root: 'la posición inicial no se puede borrar',
  already_main_line: 'el nodo ya está en la línea principal',
  no_moves_to_review: 'la partida no tiene jugadas que revisar',

  // The archive.
  archived_game_not_found: ({ id }) => `el archivo no tiene la partida ${id}`,
  import_not_found: ({ id }) => `no hay ninguna importación \`${id}\` que espere archivos`,
  too_many_import_files: ({ max }) => `una importación tiene como mucho ${max} archivos`,

  // Training.
  puzzle_not_found: ({ id }) => `no existe el problema ${id}`,
  puzzles_busy: 'ya se están preparando problemas',

  // Files and shared links.
  unknown_format: ({ name, available }) => `formato desconocido \`${name}\`; hay ${list(available)}`,
  unrecognized_format: ({ beginning, available }) => `formato no reconocido, empieza con \`${beginning}\`; se admiten ${list(available)}`,
  malformed_file: ({ format, game, ...error }) => `archivo ${format} no válido (${game}): ${unread(error)}`,
  utf16_file: 'el texto está en UTF-16; conviértelo antes a UTF-8',
  empty_file: 'el archivo no contiene ninguna partida ni posición',
  unknown_companion: ({ format, extension }) => `una exportación ${format} no tiene el archivo adicional \`${extension}\``,
  not_exportable: ({ format, reason }) => `no se puede exportar como ${format}: ${reason}`,
  nothing_to_export: 'ninguna partida coincide',
  too_many_exported: ({ max, count }) => `en un archivo caben como mucho ${max} partidas; elige menos de las ${count}`,
  not_evl: ({ genome }) => `el formato .evl no admite genomas de tipo \`${genome}\``,
  invalid_pick: ({ text }) => `pick debe ser \`all\` o números como 0,3,7, no \`${text}\``,
  too_many_imported: ({ max, count }) => `se pueden importar como mucho ${max} partidas a la vez; elige menos de las ${count}`,
  share_parts_missing: 'enlace incompleto',
  share_too_long: ({ max }) => `un enlace tiene como mucho ${max} bytes`,

  // Player lines.
  empty_player_line: 'línea de jugador vacía; prueba `level intermediate`',
  player_line_too_long: ({ max }) => `una línea de jugador tiene como mucho ${max} bytes`,
  unclosed_quote: ({ line }) => `comillas sin cerrar en \`${line}\``,
  unknown_player_kind: ({ kind, available }) => `tipo de jugador desconocido \`${kind}\`; hay ${list(available)}`,
  unknown_option: ({ kind, option, available }) => `\`${kind}\` no tiene la opción \`${option}\`; hay ${list(available) || 'ninguna'}`,
  duplicate_option: ({ option }) => `la opción \`${option}\` está repetida`,
  invalid_option_value: ({ option, value, allowed }) => `\`${option}=${value}\`: se esperaba ${allowedValues(allowed)}`,
  unexpected_word: ({ kind, word }) => `\`${kind}\` solo acepta opciones como nombre=valor, no \`${word}\``,
  program_not_permitted: ({ kind }) => `\`${kind}\` inicia un motor externo, y este servidor no lo permite`,
  missing_program: ({ kind }) => `\`${kind}\` necesita un programa: ${kind} /usr/games/programa`,
  program_not_found: ({ program }) => `no existe el programa \`${program}\``,
  file_not_permitted: ({ option, value, available }) => `\`${option}=${value}\`: aquí no se leen archivos; hay ${list(available)}`,
  option_value_not_found: ({ option, value, available }) => `\`${option}=${value}\`: no existe ese nombre; hay ${list(available)}`,
  invalid_file: ({ option, value, reason }) => `\`${option}=${value}\`: archivo no válido: ${reason}`,
  missing_level: ({ levels, names }) => `\`level\` necesita una palabra: de 1 a ${levels}, ${list(names)}`,
  unknown_level: ({ game, level, levels, names }) => `${game} no tiene el nivel \`${level}\`; hay de 1 a ${levels}, ${list(names)}`,
  evaluation_not_replaceable: ({ line }) => `\`${line}\`: se esperaba greedy, minimax o alphabeta, sin eval=`,
  out_of_memory: ({ megabytes }) => `no hay memoria suficiente para hash=${megabytes}`,
  player_too_large: ({ megabytes, budget }) =>
    `este jugador necesita ${megabytes} MB para sus tablas; el servidor tiene ${budget} MB para todos los jugadores (tablero serve --memory)`,
  players_too_large: ({ megabytes, budget }) =>
    `los jugadores de una partida necesitan ${megabytes} MB para sus tablas; el servidor tiene ${budget} MB para todos los jugadores (tablero serve --memory)`,
  memory_busy: ({ budget }) => `los ${budget} MB de memoria que este servidor tiene para los jugadores están ocupados; inténtalo más tarde`,
  search_limit: ({ option, max }) => `este servidor permite como mucho ${option}=${max}`,
  move_time_limit: ({ max_ms }) => `este servidor permite como mucho time=${max_ms}ms`,
  invalid_artifact: ({ name }) => `\`${name}\`: se esperaba job:evolution-1/20/3 (trabajo, generación, puesto) o job:learn-1/5 (trabajo, generación)`,
  artifact_of_other_game: ({ job, found, expected }) => `${job} es de ${found}, no de ${expected}`,
  no_artifacts: ({ job, kind }) => `${job} es un trabajo de tipo \`${kind}\`, que no produce jugadores`,
  player_unavailable: ({ reason }) => `jugador no disponible: ${reason}`,
  no_search_tree: ({ player }) => `\`${player}\` no tiene un árbol de búsqueda que mostrar; usa minimax, alphabeta, mcts o puct`,
  player_failed: ({ player, reason }) => `falló el jugador \`${player}\`: ${reason}`,

  // Jobs.
  job_not_found: ({ job }) => `no existe el trabajo \`${job}\``,
  job_busy: ({ job }) => `el trabajo \`${job}\` ya está en marcha`,
  job_running: ({ job }) => `el trabajo \`${job}\` está en marcha; detenlo antes`,
  job_running_or_finished: ({ job }) => `el trabajo \`${job}\` está en marcha o ha terminado`,
  job_not_run_here: ({ job }) => `este servidor no ejecuta el trabajo \`${job}\``,
  resume_on_command_line: ({ job, kind }) => `los trabajos de tipo \`${kind}\` se reanudan en la terminal: tablero jobs resume ${job}`,
  not_a_match: ({ job }) => `el trabajo \`${job}\` no es un encuentro ni un torneo`,
  not_an_evolution: ({ job }) => `el trabajo \`${job}\` no es una evolución`,
  not_a_learning_run: ({ job }) => `el trabajo \`${job}\` no es un aprendizaje`,
  job_game_not_found: ({ job, index }) => `el trabajo \`${job}\` no tiene la partida ${index}`,
  generation_not_found: ({ job, generation }) => `${job} no tiene la generación ${generation}`,
  training_game_not_found: ({ job, generation, index }) => `${job} no tiene la partida ${index} en la generación ${generation}`,

  // Matches and tournaments.
  player_count: ({ max }) => `un encuentro necesita dos jugadores, un torneo hasta ${max}`,
  sprt_needs_two_players: 'SPRT necesita un encuentro de dos jugadores',
  sprt_bounds: ({ elo0, elo1 }) => `SPRT necesita elo0 < elo1, no ${decimal(elo0)} y ${decimal(elo1)}`,
  invalid_openings: ({ text }) => `aperturas no válidas \`${text}\`; se esperaba start, random=JUGADAS, book, book=JUGADAS o balanced`,
  no_opening_book: ({ game }) => `${game} no tiene libro de aperturas`,
  no_openings: 'no hay aperturas',
  openings_too_long: ({ plies }) => `todas las aperturas de ${plies} jugadas terminan la partida`,
  invalid_clock: ({ text }) => `reloj no válido \`${text}\`; se esperaban segundos o segundos+incremento, como 10+0.1`,

  // Evolutions.
  too_many_opponents: ({ max }) => `como mucho ${max} rivales fijos`,
  unknown_scheme: ({ name, available }) => `esquema desconocido \`${name}\`; hay ${list(available)}`,
  unknown_genome: ({ game, kind, available }) => `${game} no tiene genomas de tipo \`${kind}\`; hay ${list(available)}`,
  wrong_genome: ({ found, expected }) => `los genomas son de tipo \`${found}\`, no \`${expected}\``,
  unknown_individual: ({ number, count }) => `no existe el individuo ${number}; hay de 1 a ${count}`,
  two_initial_populations: 'indica initial o initial_file, no los dos',
  variable_length_genome: ({ kind }) => `cmaes necesita genomas de longitud fija, y los de tipo \`${kind}\` no lo son`,
  invalid_genome: ({ reason }) => `genoma no válido: ${reason}`,

  // Player files.
  not_a_player_file: ({ name, available }) => `\`${name}\` no es un archivo de jugador; se esperaba ${list(available)}`,
  player_file_not_found: ({ file }) => `no existe el archivo de jugador \`${file}\``,
  player_file_of_other_game: ({ file, found, expected }) => `${file} es de ${found}, no de ${expected}`,
  too_many_player_files: ({ max }) => `se pueden guardar como mucho ${max} archivos de jugadores; borra alguno antes`,
  no_weights: 'ningún juego lee archivos de pesos',
  invalid_weights: ({ reason }) => `archivo de pesos no válido: ${reason}`,
  invalid_network_file: ({ reason }) => `archivo de red no válido: ${reason}`,

  // Experiments.
  invalid_plan: ({ reason }) => `plan no válido: ${reason}`,
  unknown_experiment: ({ name, available }) => `experimento desconocido \`${name}\`; hay ${list(available)}`,

  // Learning runs.
  invalid_network: ({ text }) => `red no válida \`${text}\`; se esperaba \`mlp 65-128-64-32-1\` o \`resnet 6x64\``,
  network_too_large: ({ network, parameters, max }) => `\`${network}\` tiene ${parameters} parámetros; el límite es ${max}`,
  network_inputs: ({ network, game, expected }) => `\`${network}\`: las redes de ${game} tienen ${list(expected)} entradas`,
  network_outputs: ({ network }) => `\`${network}\`: la última capa debe tener 1 salida, el valor`,
  unsupported_network_option: ({ option, game }) => `las redes de ${game} no admiten \`${option}\``,
  setting_out_of_range: ({ setting, value, min, max }) => `${setting} es ${decimal(value)}; se esperaba de ${decimal(min)} a ${decimal(max)}`,
  setting_not_positive: ({ setting, value, max }) => `${setting} es ${decimal(value)}; se esperaba un número mayor que 0, como mucho ${decimal(max)}`,
  setting_too_small: ({ setting, value, min }) => `${setting} es ${value}; se esperaba al menos ${min}`,
  gating_without_matches: 'la selección necesita eval_games mayor que 0 y eval_every 1',
  backend_unavailable: 'este programa se compiló sin burn; usa el entrenamiento nativo',
}
