import { expect, it } from 'vitest'
import type { LearningGeneration } from '../api/types'
import { pointsOf, timeUnit, totalSeconds } from './runs'

const generations = [
  { generation: 1, games: 10, seconds: 60, elo: 100, elo_error: 50, value_loss: 0.5, policy_loss: 2 },
  { generation: 2, games: 20, seconds: 120, elo: null, elo_error: null, value_loss: 0.4, policy_loss: 1.5 },
] as LearningGeneration[]

it('games and time add up', () => {
  expect(pointsOf(generations, 'value', 'games', 's').map((point) => point.step)).toEqual([10, 30])
  expect(pointsOf(generations, 'policy', 'time', 'min')).toEqual([{ step: 1, value: 2 }, { step: 3, value: 1.5 }])
  expect(totalSeconds(generations)).toBe(180)
})

it('generations without a match have no Elo', () => {
  expect(pointsOf(generations, 'elo', 'generation', 's')).toEqual([
    { step: 1, value: 100, error: 50 },
    { step: 2, value: null, error: null },
  ])
})

it('the unit of time follows its length', () => {
  expect([5, 600, 4 * 3600].map(timeUnit)).toEqual(['s', 'min', 'h'])
})
