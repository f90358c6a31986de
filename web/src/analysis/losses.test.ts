import { expect, it } from 'vitest'
import type { Node, Review } from '../api/types'
import { differences, totalLosses } from './losses'

const node = (id: number, by: 'first' | 'second' | null, pieces: [number, number]) =>
  ({ id, number: by && { number: 1, by }, pieces }) as unknown as Node
const line = [node(0, null, [2, 2]), node(1, 'first', [4, 1]), node(2, 'second', [3, 3]), node(3, 'first', [5, 2])]

it('losses add up for each side alone', () => {
  const review = { moves: [{ node: 1, points_lost: 2 }, { node: 2, points_lost: null }, { node: 3, points_lost: 4.5 }] } as unknown as Review
  expect(totalLosses(line, review)).toEqual([[0, 2, 2, 6.5], [0, 0, 0, 0]])
})

it('the difference is the first side’s', () => {
  expect(differences(line)).toEqual([0, 3, 0, 3])
})
