import { describe, expect, it } from 'vitest'
import type { LegalMove, MoveShape } from '../api/types'
import { boardShape, cellsOf, firstGame, gameNames, isGame, kindOf, pieceSide, piecesOf, shapeOf, type GameName } from './games'
import { aim, boardMove, click, isPlacing, nextSquares, pairs, preview } from './moves'
import { DROPS, defineTestGames } from './testGames'
import { trace } from './trace'

defineTestGames()

/** The cell index of a square. */
const cell = (game: GameName, square: string) => shapeOf(game).squares.indexOf(square)

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

describe('games', () => {
  it('come from the catalog', () => {
    expect(gameNames()).toEqual(['othello', 'chess', 'shobu', 'drops'])
    expect(firstGame()).toBe('othello')
    expect(isGame('drops')).toBe(true)
    expect(isGame('go')).toBe(false)
    expect(() => kindOf('go')).toThrow('go')
  })
})

describe('boards', () => {
  it.each(gameNames())('of %s round-trip their cells', (game) => {
    const { start, squares, columns, rows } = shapeOf(game)
    expect(start).toHaveLength(columns * rows)
    expect(squares).toHaveLength(columns * rows)
    expect(new Set(squares).size).toBe(columns * rows)
    expect(cellsOf(game, piecesOf(game, start))).toBe(start)
  })

  it('start as their games do', () => {
    const othello = piecesOf('othello', shapeOf('othello').start)
    expect(['d4', 'e4', 'd5', 'e5'].map((square) => othello.get(square))).toEqual(['O', 'X', 'X', 'O'])
    expect(piecesOf('chess', shapeOf('chess').start).get('e1')).toBe('K')
    expect(piecesOf('shobu', shapeOf('shobu').start).get('a5')).toBe('b')
    expect(piecesOf('shobu', shapeOf('shobu').start).get('h4')).toBe('w')
  })

  it('are drawn as players see them', () => {
    expect(shapeOf('othello').corner('a1', false)).toEqual({ x: 0, y: 0 })
    expect(shapeOf('chess').corner('a1', false)).toEqual({ x: 0, y: 7 })
    expect(shapeOf('chess').corner('a1', true)).toEqual({ x: 7, y: 0 })
    const shobu = shapeOf('shobu')
    const far = shobu.corner('h1', false)
    expect(far.x + 1).toBeCloseTo(shobu.width)
    expect(far.y + 1).toBeCloseTo(shobu.height)
  })

  it('consist of parts', () => {
    expect(shapeOf('chess').parts).toHaveLength(1)
    expect(shapeOf('chess').chequered).toBe(true)
    const { parts, chequered } = shapeOf('shobu')
    expect(chequered).toBe(false)
    expect(parts.map((part) => part.grounds[0])).toEqual(['d', 'l', 'd', 'l'])
    expect(parts[3]).toMatchObject(shapeOf('shobu').corner('e4', false))
  })

  it('know whose pieces they are', () => {
    expect(pieceSide('chess', 'N')).toBe(0)
    expect(pieceSide('shobu', 'w')).toBe(1)
  })
})

describe('a game that the page does not know', () => {
  const shape = shapeOf('drops')

  it('has a board of its own size', () => {
    expect([shape.columns, shape.rows, shape.width, shape.height]).toEqual([7, 6, 7, 6])
    expect(shape.squares[0]).toBe('16')
    expect(shape.squares.at(-1)).toBe('71')
    expect(shape.corner('71', false)).toEqual({ x: 6, y: 5 })
    expect(shape.place('43')).toEqual({ column: 3, row: 3 })
    expect(shape.pieces).toEqual([['r'], ['y']])
    expect(shape.parts).toEqual([{ x: 0, y: 0, columns: 7, rows: 6, grounds: 'p'.repeat(42) }])
  })

  it('is played by a click anywhere in a column', () => {
    const place = (square: string) => boardMove('drops', legal(square, { kind: 'place', to: cell('drops', square), flips: [] }))
    const moves = [place('11'), place('42')]
    const next = nextSquares(moves, [])
    expect(aim(shape, next, '46')).toBe('42')
    expect(aim(shape, next, '41')).toBe('42')
    expect(aim(shape, next, '11')).toBe('11')
    // A full column has no move.
    expect(aim(shape, next, '26')).toBe('26')
    expect(click(moves, [], aim(shape, next, '46')).complete.map((move) => move.text)).toEqual(['42'])
  })

  it('has distinct names for squares of large boards', () => {
    const numbers = Array.from({ length: 12 }, (_, i) => String(i + 1))
    const { squares } = boardShape({ ...DROPS.board, columns: numbers, rows: numbers })
    expect(new Set(squares).size).toBe(144)
    expect(squares[10]).toBe('11.1')
  })
})

describe('moves as clicks', () => {
  const moves = [
    turn('a1f5N', 'a1', 'a2', 'f5', 'f6'),
    turn('a1g5N', 'a1', 'a2', 'g5', 'g6'),
    turn('b1f5N2', 'b1', 'b3', 'f5', 'f7'),
  ]

  it('build a move step by step, and undo steps', () => {
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

  it('leave the promotion to be chosen', () => {
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
    const pieces = piecesOf('shobu', shapeOf('shobu').start)
    const shown = preview(pieces, ['a1', 'a2'])
    expect(shown.get('a2')).toBe('b')
    expect(shown.has('a1')).toBe(false)
    expect(pieces.get('a1')).toBe('b')
  })

  it('of Othello are one click, and a pass none', () => {
    const to = cell('othello', 'f5')
    expect(boardMove('othello', legal('f5', { kind: 'place', to, flips: [] })).clicks).toEqual(['f5'])
    expect(boardMove('othello', legal('pass', { kind: 'pass' })).clicks).toEqual([])
  })

  it('place pieces or move them', () => {
    const place: MoveShape = { kind: 'place', to: 0, flips: [] }
    const slide: MoveShape = { kind: 'slide', from: 0, to: 1, promotion: null, takes: null }
    expect(isPlacing([place, { kind: 'pass' }])).toBe(true)
    expect(isPlacing([place, slide])).toBe(false)
    expect(isPlacing([{ kind: 'pass' }])).toBe(false)
  })

  it('aim at the clicked square where pieces do not drop', () => {
    expect(aim(shapeOf('othello'), new Set(['d3']), 'd8')).toBe('d8')
  })

  it('are split into pairs', () => {
    expect(pairs(['a1', 'a2', 'f5', 'f6'])).toEqual([
      ['a1', 'a2'],
      ['f5', 'f6'],
    ])
    expect(pairs(['d3'])).toEqual([])
  })
})

describe('tracing pieces', () => {
  it('keeps ids of pieces that stay and follows the one that moves', () => {
    const before = trace([], new Map([['a1', 'R'], ['h1', 'R'], ['e1', 'K']]))
    const after = trace(before, new Map([['a1', 'R'], ['h5', 'R'], ['e1', 'K']]))
    const id = (list: typeof before, square: string) => list.find((t) => t.square === square)?.id
    expect(id(after, 'a1')).toBe(id(before, 'a1'))
    expect(id(after, 'h5')).toBe(id(before, 'h1'))
  })

  it('prefers the piece of the move', () => {
    const before = trace([], new Map([['a1', 'b'], ['b1', 'b']]))
    const after = trace(before, new Map([['b2', 'b']]), [['b1', 'b2']])
    expect(after[0]?.id).toBe(before.find((t) => t.square === 'b1')?.id)
  })

  it('flips discs in place', () => {
    const before = trace([], new Map([['d4', 'O'], ['e4', 'X']]))
    const after = trace(before, new Map([['d4', 'X'], ['e4', 'X'], ['c4', 'X']]), [], () => true)
    const id = (list: typeof before, square: string) => list.find((t) => t.square === square)?.id
    expect(id(after, 'd4')).toBe(id(before, 'd4'))
    expect(after.find((t) => t.square === 'd4')?.piece).toBe('X')
    const other = trace(after, new Map([['f5', 'X']]), [], () => true)
    expect(after.map((t) => t.id)).not.toContain(other[0]?.id)
  })
})
