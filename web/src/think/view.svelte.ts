/** What of a tree is shown: the step, what is expanded, the selected node. */

import type { TreeNode } from '../api/types'
import type { GameName } from '../boards/games'
import { moveText } from '../boards/notation'
import { formatFixed } from '../i18n/numbers'
import { ThinkTree } from './tree'
import { words } from './words'

/** Beyond this a value is a win or loss in some moves. */
const MATE = 9000

/** A value with its sign: +1.25, #3. */
export function valueText(value: number | null | undefined, isBestFirst: boolean): string {
  if (value == null) return ''
  if (!isBestFirst && value > MATE) return `#${10_000 - value}`
  if (!isBestFirst && value < -MATE) return `#-${10_000 + value}`
  const text = formatFixed(Math.abs(value), 2)
  return /[1-9]/.test(text) ? (value < 0 ? `−${text}` : `+${text}`) : text
}

export class TreeView {
  selected = $state(0)
  step = $state(0)
  expanded = $state.raw<ReadonlySet<number>>(new Set())
  readonly layout = $derived.by(() => this.tree.layout(this.expanded, this.step))
  readonly numbers = $derived.by(() => this.tree.numbersAt(this.step))
  /** The nodes that the last iteration visited. */
  readonly visited = $derived.by(() => {
    if (!this.tree.isBestFirst) return new Set(this.step < this.tree.steps ? [this.step] : [])
    return new Set(this.step > 0 && this.step < this.tree.steps ? this.tree.path(this.step - 1) : [])
  })

  constructor(readonly tree: ThinkTree, readonly game: GameName) {
    this.step = tree.steps
    this.expanded = tree.firstExpanded()
    this.selected = this.chosen()
  }

  /** The chosen move, in the last iteration if there are several. */
  chosen(): number {
    const parent = this.tree.lastIteration() ?? 0
    return this.tree.children[parent]?.findLast((id) => this.tree.isChosen(id)) ?? parent
  }

  hasChildren(id: number): boolean {
    return (this.tree.children[id]?.length ?? 0) > 0
  }

  /** Selects a node, which becomes visible. */
  select = (id: number) => {
    const above = this.tree.line(id).flatMap((node) => node.parent ?? [])
    if (above.some((parent) => !this.expanded.has(parent))) this.expanded = new Set([...this.expanded, ...above])
    this.step = Math.max(this.step, this.tree.made[id] ?? 0)
    this.selected = id
  }

  toggle = (id: number) => {
    const expanded = new Set(this.expanded)
    if (!expanded.delete(id)) expanded.add(id)
    this.expanded = expanded
    if (this.layout.index[this.selected] === -1) this.selected = id
  }

  /** Opens the line of most searched nodes from the selected one. */
  openBestLine = () => {
    const expanded = new Set(this.expanded)
    for (let at: number | undefined = this.selected; at !== undefined && this.hasChildren(at); ) {
      expanded.add(at)
      const children: number[] = this.tree.children[at] ?? []
      at = children.reduce((best, id) => (this.tree.weight(id) > this.tree.weight(best) ? id : best), children[0] as number)
    }
    this.expanded = expanded
  }

  closeAll = () => {
    this.expanded = new Set([0])
    this.selected = 0
  }

  /** Moves in the tree by keys; false for keys that mean nothing here. */
  key = (key: string): boolean => {
    const { placed, index } = this.layout
    const at = Math.max(0, index[this.selected] ?? 0)
    const go = (to: number) => (this.selected = placed[Math.min(placed.length - 1, Math.max(0, to))]?.id ?? 0)
    const id = this.selected
    switch (key) {
      case 'ArrowDown':
        go(at + 1)
        return true
      case 'ArrowUp':
        go(at - 1)
        return true
      case 'PageDown':
        go(at + 15)
        return true
      case 'PageUp':
        go(at - 15)
        return true
      case 'Home':
        go(0)
        return true
      case 'End':
        go(placed.length - 1)
        return true
      case 'ArrowRight':
        if (this.hasChildren(id) && !this.expanded.has(id)) this.toggle(id)
        else if (placed[at + 1]?.column === (placed[at]?.column ?? 0) + 1) go(at + 1)
        return true
      case 'ArrowLeft':
        if (this.expanded.has(id) && this.hasChildren(id)) this.toggle(id)
        else this.selected = this.tree.node(id).parent ?? 0
        return true
      case 'Enter':
      case ' ':
        if (this.hasChildren(id)) this.toggle(id)
        return true
      default:
        return false
    }
  }

  /** A node's name: its move, or what is searched there. */
  name(node: TreeNode): string {
    if (node.move != null) return moveText(this.game, node.move)
    if (node.parent == null) return words().root
    if (node.step === 'null-move') return words().nullMove
    if (node.search === 'iteration') return words().depthOf(node.depth ?? 0)
    return node.search ? words().kinds[node.search] : words().root
  }

  /** What a node shows beside its name. */
  valueText(id: number): string {
    return valueText(this.numbers(id).value, this.tree.isBestFirst)
  }

  /** A node in a line: name, value, visits or what cut it. */
  describe(id: number): string {
    const node = this.tree.node(id)
    const parts = [this.name(node), this.valueText(id)]
    const { visits } = this.numbers(id)
    if (visits !== undefined) parts.push(`N ${visits}`)
    if (node.cut) parts.push(words().cuts[node.cut])
    if (this.tree.isChosen(id)) parts.push(words().chosen)
    return parts.filter(Boolean).join(', ')
  }
}
