import { describe, expect, it, vi } from 'vitest'

vi.stubGlobal('navigator', { language: 'en' })
vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {} })
vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => {} }))

const { clockText, durationText, endText, playerText, resultText, scoreText, seatName, valueFor } = await import('./names')
const { defineTestGames } = await import('../boards/testGames')

defineTestGames()

const worth = (text: string, points: number) => ({ text, points, chance: 0.5 })

describe('words for results', () => {
  it('give Othello scores that sum to 64', () => {
    expect(scoreText('othello', 6)).toBe('35–29')
    expect(scoreText('othello', -64)).toBe('0–64')
    expect(scoreText('othello', -5, '/')).toBe('29.5/34.5')
  })
  it('give a margin where scores have no known sum', () => {
    expect(scoreText('drops', 6.5)).toBe('+6.5')
    expect(scoreText('drops', -3)).toBe('−3')
  })
  it('name winner and reason', () => {
    expect(endText('othello', { winner: 'second', margin: -6, reason: 'played' })).toBe('White wins, 29–35')
    expect(endText('chess', { winner: 'first', reason: 'time' })).toBe('White wins, on time')
    expect(endText('chess', { winner: 'second', reason: 'played' })).toBe('Black wins, checkmate')
    expect(endText('drops', { winner: 'first', reason: 'played' })).toBe('Red wins, four in a row')
    expect(endText('shobu', { winner: null, reason: 'repetition' })).toBe('Draw (repetition)')
    expect(resultText('chess', { winner: 'second', reason: 'resignation' })).toBe('0–1')
    expect(resultText('chess', null)).toBe('…')
  })
})

describe('values', () => {
  it('are seen by either side', () => {
    expect(valueFor('chess', worth('+0.35', 0.35), 0)).toBe('+0.3')
    expect(valueFor('chess', worth('+0.36', 0.36), 1)).toBe('−0.4')
    expect(valueFor('othello', worth('-4.00', -4), 1)).toBe('+4')
    expect(valueFor('othello', worth('+0.20', 0.2), 1)).toBe('0')
  })
  it('tell sure wins', () => {
    expect(valueFor('chess', worth('#3', 9997), 0)).toBe('#3')
    expect(valueFor('chess', worth('#3', 9997), 1)).toBe('#-3')
    expect(valueFor('chess', worth('#-2', -9998), 1)).toBe('#2')
    expect(valueFor('chess', worth('#0', 10000), 0)).toBe('#')
  })
})

it('clocks and times are short', () => {
  expect(clockText(9_940)).toBe('9.9')
  expect(clockText(65_000)).toBe('1:05')
  expect(clockText(3_600_000)).toBe('1:00:00')
  expect(clockText(-5)).toBe('0.0')
  expect(durationText(42)).toBe('42 s')
  expect(durationText(7_800)).toBe('2 h 10 min')
})

it('players have names', () => {
  expect(playerText('level easy')).toBe('Easy')
  expect(playerText('level 7')).toBe('Level 7')
  expect(playerText('alphabeta depth=4')).toBe('alphabeta depth=4')
  expect(seatName('chess', { name: '', player: 'human' }, 1)).toBe('Black')
  expect(seatName('chess', { name: 'Ana', player: 'human' }, 1)).toBe('Ana')
})
