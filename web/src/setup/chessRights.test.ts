import { expect, it } from 'vitest'
import { piecesOf, shapeOf } from '../boards/games'
import { defineTestGames } from '../boards/testGames'
import { crossedSquares, mayCastle } from './chessRights'

defineTestGames()

it('castling needs king and rook at home', () => {
  const pieces = piecesOf('chess', shapeOf('chess').start)
  expect(mayCastle(pieces, 'K')).toBe(true)
  pieces.delete('a8')
  expect(mayCastle(pieces, 'q')).toBe(false)
  expect(mayCastle(pieces, 'k')).toBe(true)
})

it('a pawn may have crossed the square behind it', () => {
  const pieces = new Map([['d5', 'p'], ['e5', 'p'], ['e7', 'p'], ['a4', 'P']])
  expect(crossedSquares(pieces, 0)).toEqual(['d6'])
  expect(crossedSquares(pieces, 1)).toEqual(['a3'])
})
