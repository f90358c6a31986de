/** First lessons: data in one file per game, checked against rules and engines by `crates/server/tests/lessons.rs`. */

import type { Localized } from '../api/types'
import { isGame, type GameName, type Square } from '../boards/games'

/** A task on the board. */
export type Task =
  | {
      kind: 'move'
      /** The moves that solve it; any legal move if left out. */
      accept?: string[]
      right: Localized
      wrong: Localized
    }
  | { kind: 'squares'; squares: Square[]; right: Localized }

export interface Step {
  text: Localized
  position: string
  moves?: string[]
  /** Squares to point at. */
  marks?: Square[]
  task?: Task
}

export interface Lesson {
  game: GameName
  minutes: number
  title: Localized
  lead: Localized
  steps: Step[]
}

/** The addresses of the lessons: data that is fetched when it is needed, no script. */
const FILES = import.meta.glob<string>('./*.json', { query: '?url&no-inline', import: 'default', eager: true })
/** The order of the list; lessons of other games follow. */
const ORDER = ['shobu', 'othello', 'chess', 'connectfour']

const gameOf = (file: string) => file.replace(/^.*\/|\.json$/g, '')

/** The games with a lesson. */
export function lessonGames(): GameName[] {
  const rank = (game: GameName) => (ORDER.includes(game) ? ORDER.indexOf(game) : ORDER.length)
  return Object.keys(FILES).map(gameOf).filter(isGame).sort((a, b) => rank(a) - rank(b))
}

export async function loadLesson(game: GameName): Promise<Lesson | undefined> {
  const file = Object.keys(FILES).find((name) => gameOf(name) === game)
  const address = file && FILES[file]
  if (!address) return undefined
  const response = await fetch(address)
  return response.ok ? ((await response.json()) as Lesson) : undefined
}

const KEY = 'tablero.lessons'

function load(): Record<string, number> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<string, number>
  } catch {
    return {}
  }
}

/** The steps done in each lesson. */
export const progress = $state(load())

export function saveProgress(game: GameName, done: number) {
  progress[game] = Math.max(progress[game] ?? 0, done)
  localStorage.setItem(KEY, JSON.stringify(progress))
}
