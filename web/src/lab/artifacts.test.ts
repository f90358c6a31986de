import { expect, it } from 'vitest'
import { artifactIn, cpuName, defaultGroups, evolvedLine, fileIn, groupLines, learnedLine } from './artifacts'

it('player lines name artifacts', () => {
  const line = evolvedLine('minimax depth=4', 'evolution-3', 100, 2)
  expect(line).toBe('minimax depth=4 eval=job:evolution-3/100/2')
  expect(artifactIn(line)).toEqual({ job: 'evolution-3', generation: 100, number: 2, player: 'minimax depth=4' })
  expect(artifactIn(learnedLine('learn-1', 5))).toEqual({ job: 'learn-1', generation: 5, number: undefined, player: 'puct sims=200' })
  expect(artifactIn('alphabeta eval=jma')).toBeUndefined()
})

it('the default groups are those of Othello7, as far as the generations exist', () => {
  expect(defaultGroups(1, 100)).toEqual([
    { generation: 1, count: 4 }, { generation: 2, count: 2 }, { generation: 5, count: 2 }, { generation: 100, count: 2 },
  ])
  expect(defaultGroups(1, 3).map((group) => group.generation)).toEqual([1, 2, 3])
  expect(defaultGroups(41, 42).map((group) => group.generation)).toEqual([41, 42])
  expect(groupLines(defaultGroups(1, 100), 'greedy', 'x')).toHaveLength(10)
  expect([0, 9, 26].map(cpuName)).toEqual(['CPUa', 'CPUj', 'CPU27'])
})

it('player files are found in lines', () => {
  expect(fileIn('alphabeta depth=4 eval=file:a-2.evl')).toBe('a-2.evl')
  expect(fileIn('minimax eval=file:a.evl#3 depth=2')).toBe('a.evl#3')
  expect(fileIn('champion weights=file:p.weights')).toBe('p.weights')
  expect(fileIn('puct net=othello-2x32')).toBeUndefined()
})
