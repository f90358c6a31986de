/** A catalog for tests: known games, and one that the page does not know. */

import type { BoardKind, GameKind, Localized, PieceKind } from '../api/types'
import { defineGames } from './games'

const word = (en: string, es = en): Localized => ({ en, es })

function pieces(first: string, second: string, shapes: PieceKind['shape'][]): PieceKind[] {
  const own = (letters: string, side: PieceKind['side']) =>
    [...letters].map((letter, i) => ({ side, letter, name: word(letter), shape: shapes[i] ?? 'disc' }))
  return [...own(first, 'first'), ...own(second, 'second')]
}

function board(columns: string, rows: string, kinds: PieceKind[], start: string, more: Partial<BoardKind> = {}): BoardKind {
  return {
    columns: [...columns],
    rows: [...rows],
    grounds: 'p'.repeat(columns.length * rows.length),
    drops: false,
    pieces: kinds,
    start,
    example: start,
    ...more,
  }
}

function game(name: string, sides: [string, string], of: BoardKind, more: Partial<GameKind> = {}): GameKind {
  return {
    name,
    title: word(name),
    lead: word(name),
    sides: [
      { name: sides[0], title: word(sides[0]), colour: 'black' },
      { name: sides[1], title: word(sides[1]), colour: 'white' },
    ],
    unit: 'points',
    decimals: 1,
    steps: [],
    castling: false,
    rules: [{ name: 'standard', title: word('Standard', 'Estándar'), starts: 0 }],
    formats: [],
    analyst: 'alphabeta',
    board: of,
    ...more,
  }
}

const CHESS_START = 'rnbqkbnr' + 'p'.repeat(8) + '.'.repeat(32) + 'P'.repeat(8) + 'RNBQKBNR'
const SHOBU_HALF = 'w'.repeat(8) + '.'.repeat(16) + 'b'.repeat(8)
const MEN: PieceKind['shape'][] = ['king', 'queen', 'rook', 'bishop', 'knight', 'pawn']
const chequers = Array.from({ length: 64 }, (_, i) => ((i + Math.floor(i / 8)) % 2 ? 'd' : 'l')).join('')

export const OTHELLO = game(
  'othello',
  ['Black', 'White'],
  board('abcdefgh', '12345678', pieces('X', 'O', ['disc']), '.'.repeat(27) + 'OX......XO' + '.'.repeat(27), { drawing: 'othello' }),
  { decimals: 0, score_sum: 64, margin: 'discs', counted: word('Discs', 'Fichas') },
)

export const CHESS = game(
  'chess',
  ['White', 'Black'],
  board('abcdefgh', '87654321', pieces('KQRBNP', 'kqrbnp', MEN), CHESS_START, { grounds: chequers }),
  { castling: true, win: word('checkmate', 'jaque mate') },
)

export const SHOBU = game(
  'shobu',
  ['Black', 'White'],
  board('abcdefgh', '87654321', pieces('b', 'w', ['stone']), SHOBU_HALF + SHOBU_HALF, {
    split: 4,
    grounds: 'ddddllll'.repeat(8),
    drawing: 'shobu',
  }),
)

/** Seven numbered columns, six rows; pieces drop. Unknown to the page. */
export const DROPS = game(
  'drops',
  ['Red', 'Yellow'],
  board('1234567', '654321', pieces('r', 'y', ['disc']), '.'.repeat(42), { drops: true, drawing: 'unknown' }),
  { win: word('four in a row', 'cuatro en línea') },
)

export function defineTestGames() {
  defineGames([OTHELLO, CHESS, SHOBU, DROPS])
}
