/** Display texts of players, results, scores and times. */

import type { GameEnd, Score, Seat } from '../api/types'
import { kindOf, type GameName, type Side } from '../boards/games'
import { sideName } from '../boards/words'
import { local, t } from '../i18n'
import { formatFixed, formatNumber } from '../i18n/numbers'
import { artifactIn, fileIn } from '../lab/artifacts'

/** The display name of a player line: `level 3` is Level 3, an artifact has its job and generation, a file its name; others stay. */
export function playerText(line: string): string {
  if (line === 'human') return t().players.human
  const artifact = artifactIn(line)
  if (artifact) return t().players.artifact(artifact.job, artifact.generation, artifact.number)
  const file = fileIn(line)
  if (file) return file
  const level = /^level (\w+)$/.exec(line)?.[1]
  if (!level) return line
  const named = t().players.levels as Record<string, string | undefined>
  return named[level] ?? t().players.level(level)
}

/** The name of a seat: as given, or its player's. */
export function seatName(game: GameName, seat: Seat | undefined, side: Side): string {
  if (!seat) return ''
  if (seat.name) return seat.name
  return seat.player === 'human' ? sideName(game, side) : playerText(seat.player)
}

/** A result: the winner, the final score if the game has one, and the reason. */
export function endText(game: GameName, end: GameEnd): string {
  const reason = t().end.reasons[end.reason]
  if (!end.winner) return `${t().end.draw}${reason ? ` (${reason})` : ''}`
  const side = sideName(game, end.winner === 'first' ? 0 : 1)
  const { win } = kindOf(game)
  const parts = [t().end.wins(side)]
  if (end.reason === 'played' && end.margin != null) parts.push(marginText(game, end.margin))
  else if (end.reason === 'played' && win) parts.push(local(win))
  else if (reason) parts.push(reason)
  return parts.join(', ')
}

/** A margin as both sides' final scores if these have a constant sum; otherwise as a signed number. */
export function marginText(game: GameName, margin: number, separator = '–'): string {
  const sum = kindOf(game).score_sum
  // The mean over several games is not an integer.
  const round = (score: number) => formatNumber(Math.round(10 * score) / 10)
  if (sum == null) return `${margin > 0 ? '+' : ''}${round(margin)}`.replace('-', '−')
  return `${round((sum + margin) / 2)}${separator}${round((sum - margin) / 2)}`
}

/** A short result: 1–0, ½–½, … */
export function resultText(game: GameName, end: GameEnd | null | undefined): string {
  if (!end) return '…'
  if (!end.winner) return '½–½'
  if (end.margin != null && end.reason === 'played') return marginText(game, end.margin)
  return end.winner === 'first' ? '1–0' : '0–1'
}

/** A score from the point of view of `side`. */
export function scoreFor(game: GameName, score: Score, side: Side): string {
  const sign = side === 0 ? 1 : -1
  if (score.text.includes('#')) {
    const wins = !score.text.includes('-') === (side === 0)
    const moves = Number(score.text.replace(/\D/g, ''))
    return `${wins ? '#' : '#-'}${moves || ''}`
  }
  const { decimals } = kindOf(game)
  const points = sign * score.points
  if (Number(points.toFixed(decimals)) === 0) return '0'
  return `${points > 0 ? '+' : '−'}${formatFixed(Math.abs(points), decimals)}`
}

/** Milliseconds as on a clock. */
export function clockText(ms: number): string {
  const left = Math.max(0, ms)
  const seconds = Math.ceil(left / 1000)
  if (left < 10_000) return formatFixed(left / 1000, 1)
  const minutes = Math.floor(seconds / 60)
  const rest = String(seconds % 60).padStart(2, '0')
  if (minutes < 60) return `${minutes}:${rest}`
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}`
}

/** A duration in seconds: 45 s, 3 min, 2 h 10 min. */
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


