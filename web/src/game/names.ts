/** Words for players, results and values. */

import type { GameEnd, Seat, Worth } from '../api/types'
import { kindOf, type GameName, type Side } from '../boards/games'
import { sideName } from '../boards/words'
import { local, t } from '../i18n'
import { bredIn } from '../lab/bred'

/** A player line as people say it: `level 3` is Level 3, who was bred has a number; anything else stays. */
export function playerText(line: string): string {
  if (line === 'human') return t().players.person
  const bred = bredIn(line)
  if (bred) return t().players.bred(bred.job, bred.generation, bred.number)
  const level = /^level (\w+)$/.exec(line)?.[1]
  if (!level) return line
  const named = t().players.levels as Record<string, string | undefined>
  return named[level] ?? t().players.level(level)
}

/** The name of a seat: as given, or by who plays. */
export function seatName(game: GameName, seat: Seat | undefined, side: Side): string {
  if (!seat) return ''
  if (seat.name) return seat.name
  return seat.player === 'human' ? sideName(game, side) : playerText(seat.player)
}

/** How a game came out: the winner, the score where it counts, and why. */
export function endText(game: GameName, end: GameEnd): string {
  const reason = t().end.reasons[end.reason]
  if (!end.winner) return `${t().end.draw}${reason ? ` (${reason})` : ''}`
  const side = sideName(game, end.winner === 'first' ? 0 : 1)
  const { win } = kindOf(game)
  const parts = [t().end.wins(side)]
  if (end.reason === 'played' && end.margin != null) parts.push(scoreText(game, end.margin))
  else if (end.reason === 'played' && win) parts.push(local(win))
  else if (reason) parts.push(reason)
  return parts.join(', ')
}

/** A margin as both sides' scores, where these have a known sum; otherwise as it is. */
export function scoreText(game: GameName, margin: number, between = '–'): string {
  const sum = kindOf(game).score_sum
  // The mean of several games may be a half.
  const round = (score: number) => String(Math.round(10 * score) / 10)
  if (sum == null) return `${margin > 0 ? '+' : ''}${round(margin)}`.replace('-', '−')
  return `${round((sum + margin) / 2)}${between}${round((sum - margin) / 2)}`
}

/** A number in few digits: 1234, 12.3, 0.012. */
export function shortNumber(value: number | null | undefined): string {
  if (value == null || !Number.isFinite(value)) return '–'
  if (Math.abs(value) >= 1000) return value.toFixed(0)
  return String(Number(value.toPrecision(3)))
}

/** A short result: 1–0, ½–½, … */
export function resultText(game: GameName, end: GameEnd | null | undefined): string {
  if (!end) return '…'
  if (!end.winner) return '½–½'
  if (end.margin != null && end.reason === 'played') return scoreText(game, end.margin)
  return end.winner === 'first' ? '1–0' : '0–1'
}

/** A value as `side` sees it, short. */
export function valueFor(game: GameName, value: Worth, side: Side): string {
  const sign = side === 0 ? 1 : -1
  if (value.text.includes('#')) {
    const wins = !value.text.includes('-') === (side === 0)
    const moves = Number(value.text.replace(/\D/g, ''))
    return `${wins ? '#' : '#-'}${moves || ''}`
  }
  const points = sign * value.points
  const text = Math.abs(points).toFixed(kindOf(game).decimals)
  if (Number(text) === 0) return '0'
  return `${points > 0 ? '+' : '−'}${text}`
}

/** Milliseconds as a clock shows them. */
export function clockText(ms: number): string {
  const left = Math.max(0, ms)
  const seconds = Math.ceil(left / 1000)
  if (left < 10_000) return (left / 1000).toFixed(1)
  const minutes = Math.floor(seconds / 60)
  const rest = String(seconds % 60).padStart(2, '0')
  if (minutes < 60) return `${minutes}:${rest}`
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}`
}

/** Seconds as people say them: 45 s, 3 min, 2 h 10 min. */
export function durationText(seconds: number): string {
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.round(whole / 60)
  if (minutes < 60) return `${minutes} min`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

export function dateText(seconds: number, language: string): string {
  const date = new Date(1000 * seconds)
  return date.toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' })
}

export function bigNumber(value: number, language: string): string {
  return value.toLocaleString(language, { notation: 'compact', maximumFractionDigits: 1 })
}
