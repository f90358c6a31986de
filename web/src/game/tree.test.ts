import { describe, expect, it } from 'vitest'
import type { GameView, Node } from '../api/types'
import { glyphText, lineFrom, merge, pathTo, rows } from './tree'

function node(id: number, parent: number | null, children: number[], comment = ''): Node {
  const ply = id === 0 ? 0 : id
  return {
    id,
    parent,
    children,
    comment,
    ply,
    move: id ? `m${id}` : null,
    label: id ? `m${id}` : null,
    number: null,
    cells: '',
    position: '',
    touched: [],
    turn: 'first',
    pieces: [0, 0],
    boards: [],
    captured: ['', ''],
    glyphs: [],
  }
}

/** 0-1-2-3, with 4 as a sibling of 2, then 5, and 6 as a sibling of 5. */
function sample(): Map<number, Node> {
  const list = [
    node(0, null, [1]),
    node(1, 0, [2, 4]),
    node(2, 1, [3], 'good'),
    node(3, 2, []),
    node(4, 1, [5, 6]),
    node(5, 4, []),
    node(6, 4, []),
  ]
  const sides = { 1: 'first', 2: 'second', 3: 'first', 4: 'second', 5: 'first', 6: 'first' } as const
  const numbers: Record<number, number> = { 1: 1, 2: 1, 3: 2, 4: 1, 5: 2, 6: 2 }
  for (const entry of list) {
    const side = sides[entry.id as keyof typeof sides]
    if (side) entry.number = { number: numbers[entry.id] ?? 0, by: side }
  }
  return new Map(list.map((entry) => [entry.id, entry]))
}

function view(since: number, version: number, nodes: Node[], removed: number[] = []): GameView {
  const state = { current: 0, turn: 'first', moves: [], paused: false, delay_ms: 0 } as unknown as GameView['state']
  return { id: 'g', since, version, nodes, removed, info: {} as GameView['info'], state }
}

describe('views of a game', () => {
  it('are merged', () => {
    const whole = merge(null, view(0, 3, [node(0, null, [1]), node(1, 0, [])]))
    expect(whole?.nodes.size).toBe(2)
    const more = merge(whole, view(3, 4, [node(1, 0, [2]), node(2, 1, [])]))
    expect(more?.nodes.get(1)?.children).toEqual([2])
    const less = merge(more, view(4, 5, [node(1, 0, [])], [2]))
    expect(less?.nodes.has(2)).toBe(false)
  })

  it('cannot be merged if changes were missed', () => {
    expect(merge(null, view(2, 3, []))).toBeNull()
    const old = merge(null, view(0, 1, [node(0, null, [])]))
    expect(merge(old, view(2, 3, []))).toBeNull()
  })

  it('are ignored if they are older', () => {
    const now = merge(null, view(0, 9, [node(0, null, [])]))
    expect(merge(now, view(3, 5, []))).toBe(now)
  })
})

describe('lines of the tree', () => {
  it('lead to a node, and follow the main line', () => {
    expect(pathTo(sample(), 6).map((n) => n.id)).toEqual([0, 1, 4, 6])
    expect(lineFrom(sample(), 1).map((n) => n.id)).toEqual([1, 2, 3])
  })

  it('become rows with variations between the pairs', () => {
    const list = rows(sample())
    expect(list.map((row) => row.kind)).toEqual(['pair', 'comment', 'variation', 'pair'])
    const variation = list[2]
    if (variation?.kind !== 'variation') throw new Error('no variation')
    expect(variation.tokens.map((t) => (t.kind === 'move' ? t.node.id : t.kind))).toEqual([4, 5, 'open', 6, 'close'])
  })
})

it('glyphs are shown as signs', () => {
  expect(glyphText([2, 5])).toBe('?!?')
})
