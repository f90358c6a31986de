/** The user's settings, stored in the browser. */

export type Language = 'en' | 'es'
type Theme = 'auto' | 'light' | 'dark'
export const PIECE_SETS = ['classic', 'flat', 'letters'] as const
export type PieceSet = (typeof PIECE_SETS)[number]
export const BOARD_THEMES = ['wood', 'green', 'blue', 'slate'] as const
export type BoardTheme = (typeof BOARD_THEMES)[number]

interface Settings {
  language: Language
  theme: Theme
  /** Marks the targets of legal moves. */
  dots: boolean
  coordinates: boolean
  animation: boolean
  sounds: boolean
  /** The least time that the computer takes for a move, in milliseconds. */
  pace: number
  pieces: PieceSet
  board: BoardTheme
  /** Pieces in move lists as pictures instead of letters. */
  figurines: boolean
  /** Shows the analysis on the board: scores on squares, or arrows. */
  hints: boolean
  lines: number
  threads: number
  memory: number
  /** The player line of the analyst of each game; the game's usual one if empty. */
  analyst: Record<string, string>
  /** Of a second analyst to compare with; none if empty. */
  secondAnalyst: Record<string, string>
  /** The next move can be chosen while the opponent thinks. */
  premoves: boolean
  /** A pass that is the only move is played by itself. */
  autoPass: boolean
}

const KEY = 'tablero.settings'

function defaults(): Settings {
  const spanish = navigator.language.toLowerCase().startsWith('es')
  return {
    language: spanish ? 'es' : 'en',
    theme: 'auto',
    dots: true,
    coordinates: true,
    animation: true,
    sounds: true,
    pace: 500,
    pieces: 'classic',
    board: 'wood',
    figurines: false,
    hints: true,
    lines: 3,
    threads: 1,
    memory: 64,
    analyst: {},
    secondAnalyst: {},
    premoves: true,
    autoPass: true,
  }
}

function load(): Settings {
  try {
    return { ...defaults(), ...JSON.parse(localStorage.getItem(KEY) ?? '{}') }
  } catch {
    return defaults()
  }
}

export const settings = $state(load())

const darkSystem = matchMedia('(prefers-color-scheme: dark)')
let systemIsDark = $state(darkSystem.matches)
darkSystem.addEventListener('change', (event) => (systemIsDark = event.matches))

export function isDark(): boolean {
  return settings.theme === 'dark' || (settings.theme === 'auto' && systemIsDark)
}

/** Stores the settings and applies them to the document; call once, from a component. */
export function applySettings() {
  $effect(() => {
    localStorage.setItem(KEY, JSON.stringify(settings))
  })
  $effect.pre(() => {
    const root = document.documentElement
    root.lang = settings.language
    root.dataset.theme = isDark() ? 'dark' : 'light'
    root.dataset.motion = settings.animation ? 'on' : 'off'
    root.dataset.board = settings.board
    root.dataset.pieces = settings.pieces
  })
}
