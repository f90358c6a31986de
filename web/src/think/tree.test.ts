import { expect, test } from 'vitest'
import type { SearchTree, TreeNode } from '../api/types'
import { ThinkTree } from './tree'

const base = {
  game: 'othello', position: '', sides: ['black', 'white'], turn: 0, searched: 4, tree_nodes: 5, is_complete: true, reused_visits: 0,
  choice: { move: 'b', reason: 'most-visits' },
} as const

function tree(search: string, nodes: Partial<TreeNode>[], more: Partial<SearchTree> = {}): ThinkTree {
  const full = nodes.map((node, id) => ({ id, side: 0, ...node }))
  return new ThinkTree({ ...base, search, nodes: full, ...more } as unknown as SearchTree)
}

/** Two moves, and two replies to the second. */
const shape = [{ step: 'stay' as const }, { parent: 0, move: 'a' }, { parent: 0, move: 'b' }, { parent: 2, move: 'c' }, { parent: 2, move: 'd' }]

test('a layout has the parent beside its first child and rows in order', () => {
  const shown = tree('minimax', shape)
  const all = shown.layout(new Set([0, 2]), 9)
  expect(all.placed.map(({ id, row, column }) => [id, row, column])).toEqual([[0, 0, 0], [1, 0, 1], [2, 1, 1], [3, 1, 2], [4, 2, 2]])
  expect(all.rows).toBe(3)
  expect(shown.layout(new Set([0]), 9).placed.map(({ id }) => id)).toEqual([0, 1, 2])
  expect([...shown.layout(new Set(), 9).index]).toEqual([0, -1, -1, -1, -1])
})

test('minimax steps from node to node; a value is known when its subtree is done', () => {
  const shown = tree('minimax', shape.map((node, id) => ({ ...node, value: id })))
  expect(shown.steps).toBe(4)
  expect(shown.layout(new Set([0, 2]), 3).placed.map(({ id }) => id)).toEqual([0, 1, 2, 3])
  const at = shown.numbersAt(3)
  expect([0, 1, 2, 3].map((id) => at(id).value)).toEqual([undefined, 1, undefined, undefined])
  expect(shown.numbersAt(4)(2).value).toBe(2)
  expect(shown.moves(3)).toEqual(['b', 'c'])
})

test('MCTS replays its iterations', () => {
  const visits = [4, 1, 3, 1, 1]
  const nodes = shape.map((node, id) => ({ ...node, visits: visits[id], value: 0.25 }))
  const shown = tree('mcts', nodes, { bound: 'ucb1', growth: { leaves: [1, 2, 3, 4], values: [1, -1, 1, 1], jumps: [] } })
  expect([...shown.made]).toEqual([0, 1, 2, 3, 4])
  const { visits: replayed, sums } = shown.replay(4)
  expect([...replayed]).toEqual(visits)
  // The reply c is the opponent's: its value is negated.
  expect([...sums]).toEqual([2, 1, 1, -1, -1])
  expect(shown.layout(new Set([0, 2]), 2).placed.map(({ id }) => id)).toEqual([0, 1, 2])
  expect(shown.numbersAt(2)(2)).toMatchObject({ visits: 1, value: -1 })
})

test('a path through a transposition continues from it', () => {
  // d transposes to a, whose child e was reached through d.
  const nodes = [...shape.slice(0, 4), { parent: 2, move: 'd', transposes_to: 1 }, { parent: 1, move: 'e' }]
  const growth = { leaves: [5], values: [0.5], jumps: [{ iteration: 0, nodes: [4] }] }
  const shown = tree('puct', nodes, { bound: 'puct', growth })
  expect(shown.path(0)).toEqual([5, 4, 2])
})

test('100,000 nodes are laid out and replayed', () => {
  const count = 100_000
  const nodes: Partial<TreeNode>[] = [{ step: 'stay' }]
  for (let id = 1; id < count; id++) nodes.push({ parent: Math.floor((id - 1) / 8), move: `m${id}`, visits: 1 })
  const leaves = Array.from({ length: count - 1 }, (_, at) => at + 1)
  const shown = tree('mcts', nodes, { bound: 'ucb1', growth: { leaves, values: leaves.map(() => 0), jumps: [] } })
  const expanded = new Set(nodes.keys())
  expect(shown.layout(expanded, count).placed).toHaveLength(count)
  expect(shown.replay(count - 1).visits[0]).toBe(count - 1)
})

test('a null move has no board', () => {
  const shown = tree('alphabeta', [{ step: 'stay' }, { parent: 0, move: 'a' }, { parent: 1, step: 'null-move' }, { parent: 2, move: 'b' }])
  expect(shown.moves(1)).toEqual(['a'])
  expect(shown.moves(3)).toBeUndefined()
})
