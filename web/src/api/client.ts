/** The requests of the API, one function each; an error response throws an `ApiError`. */

import type {
  About, ArchiveImport, ArchivePage, ArchiveStats, BoardView, Branch, ClusterView, EndAction, ErrorBody, EvaluationView, EvolutionOptions, ExperimentInfo, ExplanationRequest, ExplanationView, Exploration, GameChange, GameKind, GameView, GenerationView,
  HumanResults, Imported, JobGames, JobSummary, JobView, Language, LegalMoves, LibraryPage, LineRequest, LineView, MakePuzzles, NewArenaJob,
  NewEvolutionJob, NewExperimentJob, NewGame, NewLearningJob, NodeChange, OpeningView, PlanText, PlayerChecked, PlayerFile, Players, PositionChecked,
  PositionRequest, ProgressView, PuzzleResult, PuzzlesMade, PuzzlesSummary, PuzzleView, RulesText, SearchTree, SeatView, Share, Side, TakebackAction, TemplateInfo, ThinkRequest, TrainingReplay,
} from './types'

/** An error of the server: a code with parameters, and its English text. */
export class ApiError extends Error {
  constructor(readonly body: ErrorBody) {
    super(body.message)
  }
}

/** The server did not answer. */
export class NetworkError extends Error {}

type Query = Record<string, string | number | undefined>

function apiUrl(path: string, query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value))
  }
  const text = search.toString()
  return text ? `/api/${path}?${text}` : `/api/${path}`
}

async function send(method: string, url: string, body?: BodyInit, type?: string, signal?: AbortSignal): Promise<Response> {
  const headers: HeadersInit = type ? { 'content-type': type } : {}
  const response = await fetch(url, { method, body, headers, signal }).catch(() => {
    throw new NetworkError('the server does not answer')
  })
  if (response.ok) return response
  throw await failure(response)
}

async function failure(response: Response): Promise<Error> {
  const text = await response.text().catch(() => '')
  try {
    const body = JSON.parse(text) as Partial<ErrorBody>
    if (body.code && body.message) return new ApiError(body as ErrorBody)
  } catch {
    // Not an `ErrorBody`; fall back to the status.
  }
  return new Error(text || `${response.status} ${response.statusText}`)
}

async function get<T>(path: string, query?: Query): Promise<T> {
  return (await send('GET', apiUrl(path, query))).json() as Promise<T>
}

async function sendJson<T>(method: string, path: string, body: unknown = {}): Promise<T> {
  const response = await send(method, apiUrl(path), JSON.stringify(body), 'application/json')
  return response.json() as Promise<T>
}

const part = encodeURIComponent

export const api = {
  about: () => get<About>('about'),
  catalog: () => get<GameKind[]>('catalog'),
  players: (game: string) => get<Players>(`catalog/${part(game)}/players`),
  rules: (game: string, lang: Language) => get<RulesText>(`catalog/${part(game)}/rules`, { lang }),
  checkPlayer: (game: string, player: string) =>
    sendJson<PlayerChecked>('POST', `catalog/${part(game)}/check-player`, { player }),
  checkPosition: (game: string, request: PositionRequest) =>
    sendJson<PositionChecked>('POST', `catalog/${part(game)}/check-position`, request),

  line: (game: string, line: LineRequest) => sendJson<LineView>('POST', `catalog/${part(game)}/line`, line),

  /** The tree of a search; aborted, the search stops. */
  think: async (game: string, request: ThinkRequest, signal: AbortSignal) => {
    const response = await send('POST', apiUrl(`think/${part(game)}`), JSON.stringify(request), 'application/json', signal)
    return response.json() as Promise<SearchTree>
  },

  playerFiles: () => get<PlayerFile[]>('player-files'),
  addPlayerFile: async (name: string, content: Blob) => {
    const response = await send('POST', apiUrl('player-files', { name }), content, 'application/octet-stream')
    return response.json() as Promise<PlayerFile>
  },
  removePlayerFile: (name: string) => send('DELETE', apiUrl(`player-files/${part(name)}`)),

  library: (query: Query) => get<LibraryPage>('games', query),
  humanResults: (game: string) => get<HumanResults>('human-results', { game }),
  create: (game: NewGame) => sendJson<GameView>('POST', 'games', game),
  game: (id: string) => get<GameView>(`games/${part(id)}`),
  change: (id: string, change: GameChange) => sendJson<GameView>('PATCH', `games/${part(id)}`, change),
  remove: (id: string) => send('DELETE', apiUrl(`games/${part(id)}`)),
  move: (id: string, node: number, move: string) =>
    sendJson<GameView>('POST', `games/${part(id)}/moves`, { node, move }),
  undo: (id: string) => sendJson<GameView>('POST', `games/${part(id)}/undo`),
  redo: (id: string) => sendJson<GameView>('POST', `games/${part(id)}/redo`),
  goTo: (id: string, node: number) => sendJson<GameView>('PUT', `games/${part(id)}/current`, { node }),
  step: (id: string, player?: string) => sendJson<GameView>('POST', `games/${part(id)}/step`, { player }),
  end: (id: string, action: EndAction, side?: Side) =>
    sendJson<GameView>('POST', `games/${part(id)}/end`, { action, side }),
  branch: (id: string, branch: Branch) => sendJson<GameView>('POST', `games/${part(id)}/branch`, branch),

  seat: (id: string) => get<SeatView>(`games/${part(id)}/seat`),
  invite: (id: string, side: Side) => sendJson<SeatView>('POST', `games/${part(id)}/invitation`, { side }),
  withdrawInvitation: async (id: string) =>
    (await send('DELETE', apiUrl(`games/${part(id)}/invitation`))).json() as Promise<GameView>,
  takeback: (id: string, action: TakebackAction) => sendJson<GameView>('POST', `games/${part(id)}/takeback`, { action }),
  nameSeat: (id: string, name: string) => sendJson<GameView>('PUT', `games/${part(id)}/name`, { name }),

  moves: (id: string, node: number) => get<LegalMoves>(`games/${part(id)}/nodes/${node}/moves`),
  annotate: (id: string, node: number, change: NodeChange) =>
    sendJson<GameView>('PATCH', `games/${part(id)}/nodes/${node}`, change),
  removeNode: async (id: string, node: number) =>
    (await send('DELETE', apiUrl(`games/${part(id)}/nodes/${node}`))).json() as Promise<GameView>,
  promote: (id: string, node: number) =>
    sendJson<GameView>('POST', `games/${part(id)}/nodes/${node}/promote`),

  exportUrl: (id: string, format: string, companion?: string) =>
    apiUrl(`games/${part(id)}/export`, { format, companion }),
  /** A game as a file, and the replacements of names that its format cannot represent. */
  exportFile: async (id: string, format: string, companion?: string) => {
    const response = await send('GET', api.exportUrl(id, format, companion))
    const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? `game.${format}`
    const renamed = JSON.parse(response.headers.get('tablero-renamed') ?? '[]') as [from: string, to: string][]
    return { name, content: await response.blob(), renamed }
  },
  exportText: async (id: string, format: string, node?: number) =>
    (await send('GET', apiUrl(`games/${part(id)}/export`, { format, node }))).text(),
  /** The URL of a file with all matching games of the library. */
  bulkUrl: (query: Query) => apiUrl('export', query),
  share: (id: string, node?: number) => get<Share>(`games/${part(id)}/share`, { node }),
  openShare: (text: string) => sendJson<GameView>('POST', 'share', { text }),
  import: async (content: Blob | string, query: Query) => {
    const response = await send('POST', apiUrl('import', query), content, 'application/octet-stream')
    return response.json() as Promise<Imported>
  },

  archive: (query: Query) => get<ArchivePage>('archive/games', query),
  archiveStats: () => get<ArchiveStats>('archive/stats'),
  openArchived: (id: number) => sendJson<GameView>('POST', `archive/games/${id}/open`),
  explore: (query: Query) => get<Exploration>('archive/explore', query),
  openings: (game: string) => get<OpeningView[]>(`catalog/${part(game)}/openings`),
  imports: () => get<ArchiveImport[]>('archive/imports'),
  beginImport: () => sendJson<ArchiveImport>('POST', 'archive/imports'),
  uploadImport: (id: string, name: string, content: Blob) =>
    send('POST', apiUrl('archive/upload', { import: id, name }), content, 'application/octet-stream'),
  startImport: (id: string) => sendJson<ArchiveImport>('POST', `archive/imports/${part(id)}/start`),
  removeImport: (id: string) => send('DELETE', apiUrl(`archive/imports/${part(id)}`)),

  board: (query: Query) => get<BoardView>('board', query),
  puzzles: (game: string) => get<PuzzlesSummary>('puzzles', { game }),
  nextPuzzle: (game: string) => get<PuzzleView | null>('puzzles/next', { game }),
  attemptPuzzle: (id: number, move: string) => sendJson<PuzzleResult>('POST', `puzzles/${id}/attempts`, { move }),
  makePuzzles: (request: MakePuzzles) => sendJson<PuzzlesMade>('POST', 'puzzles', request),
  stopPuzzles: () => send('DELETE', apiUrl('puzzles')),
  addPuzzleFile: async (name: string, content: Blob) => {
    const response = await send('POST', apiUrl('puzzles/file', { name }), content, 'application/octet-stream')
    return response.json() as Promise<PuzzlesMade>
  },
  removePuzzle: (id: number) => send('DELETE', apiUrl(`puzzles/${id}`)),
  progress: (game: string) => get<ProgressView>('progress', { game }),

  jobs: () => get<JobSummary[]>('jobs'),
  job: (id: string) => get<JobView>(`jobs/${part(id)}`),
  startArena: (job: NewArenaJob) => sendJson<JobSummary>('POST', 'jobs', job),
  evolutionOptions: (game: string) => get<EvolutionOptions>(`catalog/${part(game)}/evolution`),
  startEvolution: (job: NewEvolutionJob) => sendJson<JobSummary>('POST', 'evolutions', job),
  generation: (id: string, number: number) => get<GenerationView>(`jobs/${part(id)}/generations/${number}`),
  generationUrl: (id: string, number: number, format: 'genes' | 'evl') =>
    apiUrl(`jobs/${part(id)}/generations/${number}/file`, { format }),
  startLearning: (job: NewLearningJob) => sendJson<JobSummary>('POST', 'learning-runs', job),
  experiments: () => get<ExperimentInfo[]>('experiments'),
  experimentTemplates: () => get<TemplateInfo[]>('experiment-templates'),
  experimentTemplate: (name: string, game: string) => get<PlanText>(`experiment-templates/${part(name)}`, { game }),
  evaluations: (game: string) => get<EvaluationView[]>(`catalog/${part(game)}/evaluations`),
  explain: (game: string, request: ExplanationRequest) => sendJson<ExplanationView>('POST', `catalog/${part(game)}/explain`, request),
  startExperiment: (job: NewExperimentJob) => sendJson<JobSummary>('POST', 'experiments', job),
  openTrainingGame: (id: string, generation: number, index: number) =>
    sendJson<GameView>('POST', `jobs/${part(id)}/training-games/${generation}/${index}`),
  trainingReplay: (id: string, generation: number, index: number) =>
    get<TrainingReplay>(`jobs/${part(id)}/training-games/${generation}/${index}`),
  cluster: () => get<ClusterView | null>('cluster'),
  stopJob: (id: string) => sendJson<JobSummary>('POST', `jobs/${part(id)}/stop`),
  resumeJob: (id: string) => sendJson<JobSummary>('POST', `jobs/${part(id)}/resume`),
  removeJob: (id: string) => send('DELETE', apiUrl(`jobs/${part(id)}`)),
  jobGames: (id: string, page: number) => get<JobGames>(`jobs/${part(id)}/games`, { page, per_page: 50 }),
  openJobGame: (id: string, index: number) => sendJson<GameView>('POST', `jobs/${part(id)}/games/${index}`),
}
