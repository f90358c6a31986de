/** The move tree of a game: merging views of the server, lines, and the rows of the move list. */

import { textOf } from './comments'
import type { GameInfo, GameState, GameView, Node, Review } from '../api/types'

export interface GameData {
  id: string
  version: number
  info: GameInfo
  state: GameState
  nodes: Map<number, Node>
  review: Review | null
}

/** The game after `view`; null if changes in between were missed and it must be fetched again. */
export function merge(data: GameData | null, view: GameView): GameData | null {
  const { id, version, info, state } = view
  if (view.since > 0) {
    if (!data || data.version < view.since) return null
    if (data.version > version) return data
  }
  const nodes = new Map(view.since > 0 ? data?.nodes : [])
  for (const node of view.nodes) nodes.set(node.id, node)
  for (const gone of view.removed) nodes.delete(gone)
  const review = view.review ?? (view.since > 0 ? (data?.review ?? null) : null)
  return { id, version, info, state, nodes, review }
}

/** The nodes from the root to a node, both included. */
export function pathTo(nodes: Map<number, Node>, id: number): Node[] {
  const path: Node[] = []
  for (let node = nodes.get(id); node; node = nodes.get(node.parent ?? -1)) path.push(node)
  return path.reverse()
}

/** A node and the main line after it. */
export function lineFrom(nodes: Map<number, Node>, id: number): Node[] {
  const line: Node[] = []
  for (let node = nodes.get(id); node; node = nodes.get(node.children[0] ?? -1)) line.push(node)
  return line
}

/** A token of a variation. */
export type Token =
  | { kind: 'move'; node: Node; numbered: boolean }
  | { kind: 'open' | 'close' }
  | { kind: 'comment'; text: string }

/** A row of the move list: a numbered pair of moves of the main line, a comment or a variation. */
export type Row =
  | { kind: 'pair'; key: string; number: number; nodes: [Node | null, Node | null] }
  | { kind: 'comment'; key: string; text: string }
  | { kind: 'variation'; key: string; tokens: Token[] }

/** The rows of the move list: the main line in pairs, comments and variations between them. */
export function rows(nodes: Map<number, Node>): Row[] {
  const list: Row[] = []
  const [root, ...line] = lineFrom(nodes, 0)
  if (root && textOf(root.comment)) list.push({ kind: 'comment', key: 'c0', text: textOf(root.comment) })
  let open: Extract<Row, { kind: 'pair' }> | null = null
  for (const node of line) {
    const column = node.number?.by === 'second' ? 1 : 0
    if (!open || column === 0 || open.nodes[1]) {
      open = { kind: 'pair', key: `p${node.id}`, number: node.number?.number ?? 0, nodes: [null, null] }
      list.push(open)
    }
    open.nodes[column] = node
    const others = (nodes.get(node.parent ?? -1)?.children ?? []).slice(1)
    const comment = textOf(node.comment)
    if (comment) list.push({ kind: 'comment', key: `c${node.id}`, text: comment })
    for (const id of others) {
      list.push({ kind: 'variation', key: `v${id}`, tokens: tokens(nodes, id) })
    }
    if (comment || others.length > 0) open = null
  }
  return list
}

/** The tokens of the variation that starts at a node, with nested variations. */
export function tokens(nodes: Map<number, Node>, start: number): Token[] {
  const list: Token[] = []
  let numbered = true
  for (const node of lineFrom(nodes, start)) {
    list.push({ kind: 'move', node, numbered: numbered || node.number?.by === 'first' })
    numbered = false
    const comment = textOf(node.comment)
    if (comment) {
      list.push({ kind: 'comment', text: comment })
      numbered = true
    }
    const siblings = node.id === start ? [] : (nodes.get(node.parent ?? -1)?.children.slice(1) ?? [])
    for (const id of siblings) {
      list.push({ kind: 'open' }, ...tokens(nodes, id), { kind: 'close' })
      numbered = true
    }
  }
  return list
}

/** The side that made the move of a node, 0 or 1. */
export function moverOf(nodes: Map<number, Node>, node: Node): 0 | 1 {
  const before = nodes.get(node.parent ?? -1)
  return before?.turn === 'second' ? 1 : 0
}

const GLYPHS: Record<number, string> = { 1: '!', 2: '?', 3: '!!', 4: '??', 5: '!?', 6: '?!' }

export function glyphText(glyphs: number[]): string {
  return glyphs.map((glyph) => GLYPHS[glyph] ?? '').join('')
}
