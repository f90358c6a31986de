/** Words for players, results and values. */

import type { GameEnd, Node, Seat, Worth } from '../api/types'
import type { GameName, Side } from '../boards/games'
import { t } from '../i18n'
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
  return seat.player === 'human' ? t().games[game].sides[side] : playerText(seat.player)
}

/** How a game came out: the winner, the score where it counts, and why. */
export function endText(game: GameName, end: GameEnd, node?: Node): string {
  const reason = t().end.reasons[end.reason]
  if (!end.winner) return `${t().end.draw}${reason ? ` (${reason})` : ''}`
  const side = t().games[game].sides[end.winner === 'first' ? 0 : 1]
  const parts = [t().end.wins(side)]
  if (end.reason === 'played' && end.margin != null) parts.push(scoreText(end.margin))
  else if (end.reason === 'played' && game === 'chess' && node) parts.push(t().end.mate)
  else if (reason) parts.push(reason)
  return parts.join(', ')
}

/** An Othello margin as a score; empty squares belong to the winner, so the sum is 64. */
export function scoreText(margin: number): string {
  const winner = 32 + Math.abs(margin) / 2
  return margin >= 0 ? `${winner}–${64 - winner}` : `${64 - winner}–${winner}`
}

/** An Othello margin as both sides' discs, as Othello7 writes them; the mean of several games may be a half. */
export function discsText(margin: number): string {
  const discs = (own: number) => String(Math.round(10 * (32 + own / 2)) / 10)
  return `${discs(margin)}/${discs(-margin)}`
}

/** A number in few digits: 1234, 12.3, 0.012. */
export function shortNumber(value: number | null | undefined): string {
  if (value == null || !Number.isFinite(value)) return '–'
  if (Math.abs(value) >= 1000) return value.toFixed(0)
  return String(Number(value.toPrecision(3)))
}

/** A short result: 1–0, ½–½, … */
export function resultText(end: GameEnd | null | undefined): string {
  if (!end) return '…'
  if (!end.winner) return '½–½'
  if (end.margin != null && end.reason === 'played') return scoreText(end.margin)
  return end.winner === 'first' ? '1–0' : '0–1'
}

/** A value as `side` sees it, short: whole discs, else one decimal. */
export function valueFor(game: GameName, value: Worth, side: Side): string {
  const sign = side === 0 ? 1 : -1
  if (value.text.includes('#')) {
    const wins = !value.text.includes('-') === (side === 0)
    const moves = Number(value.text.replace(/\D/g, ''))
    return `${wins ? '#' : '#-'}${moves || ''}`
  }
  const points = sign * value.points
  const text = Math.abs(points).toFixed(game === 'othello' ? 0 : 1)
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
