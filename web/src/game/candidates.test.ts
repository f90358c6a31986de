import { beforeAll, expect, it } from 'vitest'
import { piecesOf, shapeOf } from '../boards/games'
import { defineTestGames } from '../boards/testGames'
import { candidates, legalMove } from './candidates'

beforeAll(defineTestGames)

const start = (game: string) => piecesOf(game, shapeOf(game).start)

it('any empty square where pieces are placed', () => {
  expect(candidates('othello', start('othello'), 0)).toHaveLength(60)
})

it('any own piece to any square where pieces move', () => {
  const moves = candidates('chess', start('chess'), 1)
  expect(moves).toHaveLength(16 * 63)
  expect(moves.map((move) => move.text)).toContain('e7 e5')
})

it('two stones by the same step where a turn has two moves', () => {
  const texts = candidates('shobu', start('shobu'), 0).map((move) => move.text)
  expect(texts).toContain('g1 g2 b5 b6')
  expect(texts).not.toContain('g1 g2 b5 b7')
  expect(texts).not.toContain('g1 g2 h1 h2')
})

it('a premove is played if it is legal then, and promotes to a queen', () => {
  const move = (text: string, clicks: string[], promotion?: string) => ({ text, label: text, clicks, promotion })
  const legal = [move('a7a8n', ['a7', 'a8'], 'n'), move('a7a8q', ['a7', 'a8'], 'q'), move('h1h2', ['h1', 'h2'])]
  expect(legalMove('chess', legal, ['a7', 'a8'])?.text).toBe('a7a8q')
  expect(legalMove('chess', legal, ['h1', 'h2'])?.text).toBe('h1h2')
  expect(legalMove('chess', legal, ['h1', 'h3'])).toBeUndefined()
})

it('where pieces drop, the column counts', () => {
  const move = (square: string) => ({ text: square, label: square, clicks: [square], promotion: undefined })
  expect(legalMove('drops', [move('31'), move('42')], ['41'])?.text).toBe('42')
})
