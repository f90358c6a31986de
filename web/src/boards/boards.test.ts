import { describe, expect, it } from 'vitest'
import type { LegalMove, MoveShape } from '../api/types'
import { GAMES, SHAPES, cellsOf, pieceSide, piecesOf, type GameName } from './games'
import { boardMove, click, nextSquares, pairs, preview } from './moves'
import { trace } from './trace'

/** The number of a square. */
const cell = (game: GameName, square: string) => SHAPES[game].squares.indexOf(square)

function legal(move: string, shape: MoveShape): LegalMove {
  return { move, label: move, shape }
}

function turn(name: string, ...squares: [string, string, string, string]) {
  const [a, b, c, d] = squares.map((square) => cell('shobu', square)) as [number, number, number, number]
  const shape: MoveShape = {
    kind: 'turn',
    passive: { from: a, to: b },
    aggressive: { from: c, to: d },
    push: null,
  }
  return boardMove('shobu', legal(name, shape))
}

describe('boards', () => {
  it.each(GAMES)('of %s keep what stands on their cells', (game) => {
    const { start, squares, columns, rows } = SHAPES[game]
    expect(start).toHaveLength(columns * rows)
    expect(squares).toHaveLength(columns * rows)
    expect(cellsOf(game, piecesOf(game, start))).toBe(start)
  })

  it('start as their games do', () => {
    const othello = piecesOf('othello', SHAPES.othello.start)
    expect(['d4', 'e4', 'd5', 'e5'].map((square) => othello.get(square))).toEqual(['O', 'X', 'X', 'O'])
    expect(piecesOf('chess', SHAPES.chess.start).get('e1')).toBe('K')
    expect(piecesOf('shobu', SHAPES.shobu.start).get('a5')).toBe('b')
    expect(piecesOf('shobu', SHAPES.shobu.start).get('h4')).toBe('w')
  })

  it('lie as players see them', () => {
    expect(SHAPES.othello.corner('a1', false)).toEqual({ x: 0, y: 0 })
    expect(SHAPES.chess.corner('a1', false)).toEqual({ x: 0, y: 7 })
    expect(SHAPES.chess.corner('a1', true)).toEqual({ x: 7, y: 0 })
    const far = SHAPES.shobu.corner('h1', false)
    expect(far.x + 1).toBeCloseTo(SHAPES.shobu.width)
    expect(far.y + 1).toBeCloseTo(SHAPES.shobu.height)
  })

  it('know whose pieces they are', () => {
    expect(pieceSide('chess', 'N')).toBe(0)
    expect(pieceSide('shobu', 'w')).toBe(1)
  })
})

describe('moves as clicks', () => {
  const moves = [
    turn('a1f5N', 'a1', 'a2', 'f5', 'f6'),
    turn('a1g5N', 'a1', 'a2', 'g5', 'g6'),
    turn('b1f5N2', 'b1', 'b3', 'f5', 'f7'),
  ]

  it('lead to a move step by step, and back', () => {
    expect([...nextSquares(moves, [])]).toEqual(['a1', 'b1'])
    let at = click(moves, [], 'a1')
    at = click(moves, at.clicked, 'a2')
    expect([...nextSquares(moves, at.clicked)]).toEqual(['f5', 'g5'])
    at = click(moves, at.clicked, 'f5')
    expect(click(moves, at.clicked, 'f5').clicked).toEqual(['a1', 'a2'])
    expect(click(moves, at.clicked, 'g5').clicked).toEqual(['a1', 'a2', 'g5'])
    expect(click(moves, at.clicked, 'b1').clicked).toEqual(['b1'])
    expect(click(moves, at.clicked, 'h8').clicked).toEqual(['a1', 'a2'])
    expect(click(moves, at.clicked, 'f6').complete.map((move) => move.text)).toEqual(['a1f5N'])
  })

  it('leave the choice of a promotion open', () => {
    const promote = (to: string, promotion: string) =>
      boardMove(
        'chess',
        legal(`e7${to}${promotion}`, {
          kind: 'slide',
          from: cell('chess', 'e7'),
          to: cell('chess', to),
          promotion,
          takes: null,
        }),
      )
    const at = click([promote('e8', 'q'), promote('e8', 'n'), promote('d8', 'q')], ['e7'], 'e8')
    expect(at.complete.map((move) => move.promotion)).toEqual(['q', 'n'])
  })

  it('show the passive stone on its target', () => {
    const pieces = piecesOf('shobu', SHAPES.shobu.start)
    const shown = preview('shobu', pieces, ['a1', 'a2'])
    expect(shown.get('a2')).toBe('b')
    expect(shown.has('a1')).toBe(false)
    expect(pieces.get('a1')).toBe('b')
  })

  it('of Othello are one click, and a pass none', () => {
    const to = cell('othello', 'f5')
    expect(boardMove('othello', legal('f5', { kind: 'place', to, flips: [] })).clicks).toEqual(['f5'])
    expect(boardMove('othello', legal('pass', { kind: 'pass' })).clicks).toEqual([])
  })

  it('are taken apart into pairs', () => {
    expect(pairs(['a1', 'a2', 'f5', 'f6'])).toEqual([
      ['a1', 'a2'],
      ['f5', 'f6'],
    ])
    expect(pairs(['d3'])).toEqual([])
  })
})

describe('tracing pieces', () => {
  it('keeps those that stay and follows the one that moves', () => {
    const before = trace([], new Map([['a1', 'R'], ['h1', 'R'], ['e1', 'K']]))
    const after = trace(before, new Map([['a1', 'R'], ['h5', 'R'], ['e1', 'K']]))
    const id = (list: typeof before, square: string) => list.find((t) => t.square === square)?.id
    expect(id(after, 'a1')).toBe(id(before, 'a1'))
    expect(id(after, 'h5')).toBe(id(before, 'h1'))
  })

  it('prefers the piece that the move names', () => {
    const before = trace([], new Map([['a1', 'b'], ['b1', 'b']]))
    const after = trace(before, new Map([['b2', 'b']]), [['b1', 'b2']])
    expect(after[0]?.id).toBe(before.find((t) => t.square === 'b1')?.id)
  })
})
