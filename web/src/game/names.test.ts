import { describe, expect, it, vi } from 'vitest'

vi.stubGlobal('navigator', { language: 'en' })
vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {} })
vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => {} }))

const { clockText, durationText, endText, marginText, playerText, resultText, scoreFor, seatName } = await import('./names')
const { formatShort } = await import('../i18n/numbers')
const { settings } = await import('../settings.svelte')
const { defineTestGames } = await import('../boards/testGames')

defineTestGames()

const score = (text: string, points: number) => ({ text, points, win_probability: 0.5 })

describe('results', () => {
  it('of Othello are scores that sum to 64', () => {
    expect(marginText('othello', 6)).toBe('35–29')
    expect(marginText('othello', -64)).toBe('0–64')
    expect(marginText('othello', -5, '/')).toBe('29.5/34.5')
  })
  it('are margins where scores have no constant sum', () => {
    expect(marginText('drops', 6.5)).toBe('+6.5')
    expect(marginText('drops', -3)).toBe('−3')
  })
  it('name the winner and the reason', () => {
    expect(endText('othello', { winner: 'second', margin: -6, reason: 'played' })).toBe('White wins, 29–35')
    expect(endText('chess', { winner: 'first', reason: 'time' })).toBe('White wins, on time')
    expect(endText('chess', { winner: 'second', reason: 'played' })).toBe('Black wins, checkmate')
    expect(endText('drops', { winner: 'first', reason: 'played' })).toBe('Red wins, four in a row')
    expect(endText('shobu', { winner: null, reason: 'repetition' })).toBe('Draw (repetition)')
    expect(resultText('chess', { winner: 'second', reason: 'resignation' })).toBe('0–1')
    expect(resultText('chess', null)).toBe('…')
  })
})

describe('scores', () => {
  it('are from the point of view of a side', () => {
    expect(scoreFor('chess', score('+0.35', 0.35), 0)).toBe('+0.3')
    expect(scoreFor('chess', score('+0.36', 0.36), 1)).toBe('−0.4')
    expect(scoreFor('othello', score('-4.00', -4), 1)).toBe('+4')
    expect(scoreFor('othello', score('+0.20', 0.2), 1)).toBe('0')
  })
  it('show forced wins', () => {
    expect(scoreFor('chess', score('#3', 9997), 0)).toBe('#3')
    expect(scoreFor('chess', score('#3', 9997), 1)).toBe('#-3')
    expect(scoreFor('chess', score('#-2', -9998), 1)).toBe('#2')
    expect(scoreFor('chess', score('#0', 10000), 0)).toBe('#')
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

it('numbers have a decimal comma in Spanish', () => {
  settings.language = 'es'
  expect(scoreFor('chess', score('+0.36', 0.36), 0)).toBe('+0,4')
  expect(marginText('othello', -5, '/')).toBe('29,5/34,5')
  expect(clockText(9_940)).toBe('9,9')
  expect(formatShort(0.01234)).toBe('0,0123')
  expect(endText('chess', { winner: 'second', reason: 'resignation' })).toBe('Ganan las black, por abandono')
  settings.language = 'en'
})

it('players have display names', () => {
  expect(playerText('level easy')).toBe('Easy')
  expect(playerText('level 7')).toBe('Level 7')
  expect(playerText('alphabeta depth=4')).toBe('alphabeta depth=4')
  expect(seatName('chess', { name: '', player: 'human' }, 1)).toBe('Black')
  expect(seatName('chess', { name: 'Ana', player: 'human' }, 1)).toBe('Ana')
})
