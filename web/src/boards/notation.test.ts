import { afterEach, expect, it, vi } from 'vitest'

vi.stubGlobal('navigator', { language: 'en' })
vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {} })
vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => {} }))
const { settings } = await import('../settings.svelte')
const { moveText } = await import('./notation')
const { defineTestGames } = await import('./testGames')
const { materialLead } = await import('../game/material')
const { waitsOf } = await import('./motion')

defineTestGames()
afterEach(() => {
  settings.language = 'en'
  settings.figurines = false
})

it('moves have the letters of the language, or figurines', () => {
  expect(moveText('chess', 'Nbd7')).toBe('Nbd7')
  settings.language = 'es'
  expect(moveText('chess', 'Nbd7')).toBe('Cbd7')
  expect(moveText('chess', 'a8=Q+')).toBe('a8=D+')
  expect(moveText('chess', 'O-O-O')).toBe('O-O-O')
  settings.figurines = true
  expect(moveText('chess', 'Qxf7#')).toBe('♕xf7#')
  expect(moveText('othello', 'f5')).toBe('f5')
  expect(moveText('shobu', 'g1b5NW2')).toBe('g1b5NW2')
})

it('material is counted in pawns', () => {
  const start = 'rnbqkbnr' + 'p'.repeat(8) + '.'.repeat(32) + 'P'.repeat(8) + 'RNBQKBNR'
  expect(materialLead('chess', start, 0)).toBe(0)
  expect(materialLead('chess', start.replace('q', '.'), 0)).toBe(9)
  expect(materialLead('chess', start.replace('q', '.'), 1)).toBe(-9)
})

it('the parts of a move are shown one after the other', () => {
  const piece = (id: number, square: string) => ({ id, square, piece: 'b' })
  const before = [piece(1, 'g1'), piece(2, 'b5'), piece(3, 'b6'), piece(4, 'a1')]
  const after = [piece(1, 'g2'), piece(2, 'b6'), piece(3, 'b7'), piece(4, 'a1')]
  const waits = waitsOf(before, after, [['g1', 'g2'], ['b5', 'b6']])
  expect([1, 2, 3, 4].map((id) => waits.get(id))).toEqual([0, 300, expect.any(Number), undefined])
  expect(waits.get(3)).toBeGreaterThan(300)
  expect(waitsOf(before, after, [['g1', 'g2']]).size).toBe(0)
})
