/** Requests to the server, one function each; what the server refuses throws an `ApiError`. */

import type {
  About, Branch, ClusterView, EndHow, ErrorBody, EvolutionOptions, GameChange, GameKind, GameView, GenerationView, Imported, JobGames,
  JobSummary, JobView, Language, LegalMoves, LibraryPage, NewArenaJob, NewEvolutionJob, NewGame,
  NewLearningJob, NodeChange, Opinion, PlayerChecked, Players, PositionChecked, PositionRequest, RulesText, Share, Side,
} from './types'

/** What the server says went wrong: a code with parameters, and a sentence in English. */
export class ApiError extends Error {
  constructor(readonly body: ErrorBody) {
    super(body.message)
  }
}

type Query = Record<string, string | number | undefined>

function address(path: string, query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value))
  }
  const text = search.toString()
  return text ? `/api/${path}?${text}` : `/api/${path}`
}

async function send(method: string, url: string, body?: BodyInit, type?: string): Promise<Response> {
  const headers: HeadersInit = type ? { 'content-type': type } : {}
  const response = await fetch(url, { method, body, headers })
  if (response.ok) return response
  throw await failure(response)
}

async function failure(response: Response): Promise<Error> {
  const text = await response.text().catch(() => '')
  try {
    const body = JSON.parse(text) as Partial<ErrorBody>
    if (body.code && body.message) return new ApiError(body as ErrorBody)
  } catch {
    // Not one of our answers; the status must do.
  }
  return new Error(text || `${response.status} ${response.statusText}`)
}

async function get<T>(path: string, query?: Query): Promise<T> {
  return (await send('GET', address(path, query))).json() as Promise<T>
}

async function put<T>(method: string, path: string, body: unknown = {}): Promise<T> {
  const response = await send(method, address(path), JSON.stringify(body), 'application/json')
  return response.json() as Promise<T>
}

const part = encodeURIComponent

export const api = {
  about: () => get<About>('about'),
  catalog: () => get<GameKind[]>('catalog'),
  players: (game: string, lang: Language) => get<Players>(`catalog/${part(game)}/players`, { lang }),
  rules: (game: string, lang: Language) => get<RulesText>(`catalog/${part(game)}/rules`, { lang }),
  checkPlayer: (game: string, player: string) =>
    put<PlayerChecked>('POST', `catalog/${part(game)}/check-player`, { player }),
  checkPosition: (game: string, request: PositionRequest) =>
    put<PositionChecked>('POST', `catalog/${part(game)}/check-position`, request),

  library: (query: Query) => get<LibraryPage>('games', query),
  create: (game: NewGame) => put<GameView>('POST', 'games', game),
  game: (id: string) => get<GameView>(`games/${part(id)}`),
  change: (id: string, change: GameChange) => put<GameView>('PATCH', `games/${part(id)}`, change),
  remove: (id: string) => send('DELETE', address(`games/${part(id)}`)),
  move: (id: string, node: number, move: string) =>
    put<GameView>('POST', `games/${part(id)}/moves`, { node, move }),
  undo: (id: string) => put<GameView>('POST', `games/${part(id)}/undo`),
  redo: (id: string) => put<GameView>('POST', `games/${part(id)}/redo`),
  goTo: (id: string, node: number) => put<GameView>('PUT', `games/${part(id)}/current`, { node }),
  step: (id: string, player?: string) => put<GameView>('POST', `games/${part(id)}/step`, { player }),
  end: (id: string, how: EndHow, side?: Side) =>
    put<GameView>('POST', `games/${part(id)}/end`, { how, side }),
  branch: (id: string, branch: Branch) => put<GameView>('POST', `games/${part(id)}/branch`, branch),

  moves: (id: string, node: number) => get<LegalMoves>(`games/${part(id)}/nodes/${node}/moves`),
  annotate: (id: string, node: number, change: NodeChange) =>
    put<GameView>('PATCH', `games/${part(id)}/nodes/${node}`, change),
  removeNode: async (id: string, node: number) =>
    (await send('DELETE', address(`games/${part(id)}/nodes/${node}`))).json() as Promise<GameView>,
  promote: (id: string, node: number) =>
    put<GameView>('POST', `games/${part(id)}/nodes/${node}/promote`),

  exportAddress: (id: string, format: string, beside?: string) =>
    address(`games/${part(id)}/export`, { format, beside }),
  /** A game as a file, and the names that its format cannot hold with what they became. */
  exportFile: async (id: string, format: string, beside?: string) => {
    const response = await send('GET', api.exportAddress(id, format, beside))
    const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? `game.${format}`
    const renamed = JSON.parse(response.headers.get('tablero-renamed') ?? '[]') as [from: string, to: string][]
    return { name, content: await response.blob(), renamed }
  },
  exportText: async (id: string, format: string, node?: number) =>
    (await send('GET', address(`games/${part(id)}/export`, { format, node }))).text(),
  share: (id: string, node?: number) => get<Share>(`games/${part(id)}/share`, { node }),
  openShare: (text: string) => put<GameView>('POST', 'share', { text }),
  import: async (content: Blob | string, query: Query) => {
    const response = await send('POST', address('import', query), content, 'application/octet-stream')
    return response.json() as Promise<Imported>
  },

  jobs: () => get<JobSummary[]>('jobs'),
  job: (id: string) => get<JobView>(`jobs/${part(id)}`),
  startArena: (job: NewArenaJob) => put<JobSummary>('POST', 'jobs', job),
  evolutionOptions: (game: string) => get<EvolutionOptions>(`catalog/${part(game)}/evolution`),
  startEvolution: (job: NewEvolutionJob) => put<JobSummary>('POST', 'evolutions', job),
  generation: (id: string, number: number) => get<GenerationView>(`jobs/${part(id)}/generations/${number}`),
  generationFile: (id: string, number: number, format: 'genes' | 'evl') =>
    address(`jobs/${part(id)}/generations/${number}/file`, { format }),
  startLearning: (job: NewLearningJob) => put<JobSummary>('POST', 'learnings', job),
  openLesson: (id: string, generation: number, index: number) =>
    put<GameView>('POST', `jobs/${part(id)}/lessons/${generation}/${index}`),
  opinion: (id: string, generation: number, moves: string[]) =>
    get<Opinion>(`jobs/${part(id)}/networks/${generation}/opinion`, { moves: moves.join(' ') }),
  cluster: () => get<ClusterView | null>('cluster'),
  stopJob: (id: string) => put<JobSummary>('POST', `jobs/${part(id)}/stop`),
  resumeJob: (id: string) => put<JobSummary>('POST', `jobs/${part(id)}/resume`),
  removeJob: (id: string) => send('DELETE', address(`jobs/${part(id)}`)),
  jobGames: (id: string, page: number) => get<JobGames>(`jobs/${part(id)}/games`, { page, per_page: 50 }),
  openJobGame: (id: string, index: number) => put<GameView>('POST', `jobs/${part(id)}/games/${index}`),
}
