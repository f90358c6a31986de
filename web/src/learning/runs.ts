/** The curves of several learning runs over generations, games or time. */

import type { JobView, LearningGeneration } from '../api/types'
import type { Point } from '../lab/curves'

export type Axis = 'generation' | 'games' | 'time'
export type Quantity = 'elo' | 'value' | 'policy'
export type TimeUnit = 's' | 'min' | 'h'

const SECONDS: Record<TimeUnit, number> = { s: 1, min: 60, h: 3600 }

/** The unit in which a time reads best. */
export function timeUnit(seconds: number): TimeUnit {
  return seconds < 5 * SECONDS.min ? 's' : seconds < 3 * SECONDS.h ? 'min' : 'h'
}

/** The time of all generations together. */
export function totalSeconds(generations: LearningGeneration[]): number {
  return generations.reduce((sum, { seconds }) => sum + seconds, 0)
}

/** The points of a run's curve. Games and time are those up to the end of a generation. */
export function pointsOf(generations: LearningGeneration[], quantity: Quantity, axis: Axis, unit: TimeUnit): Point[] {
  let [games, seconds] = [0, 0]
  return generations.map((point) => {
    games += point.games
    seconds += point.seconds
    const step = { generation: point.generation, games, time: seconds / SECONDS[unit] }[axis]
    if (quantity === 'elo') return { step, value: point.elo ?? null, error: point.elo_error ?? null }
    return { step, value: quantity === 'value' ? point.value_loss : point.policy_loss }
  })
}

/** What the Elo of a run is relative to. */
export interface Scale {
  anchor: string
  sims: number
}

/** The scale of a run's Elo: its first anchor, or its initial network. */
export function scaleOf(view: JobView): Scale {
  const { evaluation } = view.config as { evaluation?: { anchors?: string[]; sims?: number } }
  return { anchor: evaluation?.anchors?.[0] ?? 'generation 0', sims: evaluation?.sims ?? 0 }
}
