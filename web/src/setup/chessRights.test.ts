import { expect, it } from 'vitest'
import { piecesOf, shapeOf } from '../boards/games'
import { defineTestGames } from '../boards/testGames'
import { enPassantSquares, canCastle } from './chessRights'

defineTestGames()

it('castling needs king and rook on their home squares', () => {
  const pieces = piecesOf('chess', shapeOf('chess').start)
  expect(canCastle(pieces, 'K')).toBe(true)
  pieces.delete('a8')
  expect(canCastle(pieces, 'q')).toBe(false)
  expect(canCastle(pieces, 'k')).toBe(true)
})

it('en passant squares are behind pawns that may just have moved two squares', () => {
  const pieces = new Map([['d5', 'p'], ['e5', 'p'], ['e7', 'p'], ['a4', 'P']])
  expect(enPassantSquares(pieces, 0)).toEqual(['d6'])
  expect(enPassantSquares(pieces, 1)).toEqual(['a3'])
})
