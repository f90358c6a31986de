import { expect, it } from 'vitest'
import { align, errorMarks, lastUpTo } from './curves'

it('reads the last known value up to a step', () => {
  const [steps, values] = [[1, 2, 3, 5], [10, null, 30, null]]
  expect([0, 1, 2, 4, 5, undefined].map((step) => lastUpTo(steps, values, step))).toEqual([-1, 0, 0, 2, 2, 2])
})

it('marks only values whose error is known', () => {
  expect(errorMarks([1, 2, 3], [10, null, 30], [5, 5, null])).toEqual([{ step: 1, low: 5, high: 15 }])
})

it('aligns curves with different steps', () => {
  const aligned = align([
    [{ step: 1, value: 10, error: 2 }, { step: 4, value: 40 }],
    [{ step: 2, value: null }, { step: 4, value: 80, error: 3 }],
  ])
  expect(aligned).toEqual({
    steps: [1, 2, 4],
    values: [[10, null, 40], [null, null, 80]],
    errors: [[2, null, null], [null, null, 3]],
  })
})
