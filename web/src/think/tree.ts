/** The tree of a search as the page shows it: children, rows of what is expanded, its state at each step. */

import type { SearchTree, TreeNode } from '../api/types'

/** What a node shows at a step. */
export interface Numbers {
  /** None before it is known. */
  value?: number
  visits?: number
  /** Exploitation and exploration. */
  bound?: [number | undefined, number]
}

/** A visible node: its row and column in the picture. */
export interface Placed {
  id: number
  row: number
  column: number
}

export interface Layout {
  /** In depth-first order, so rows never decrease. */
  placed: Placed[]
  /** Where a node is in `placed`; -1 if it is not visible. */
  index: Int32Array
  rows: number
  columns: number
}

export class ThinkTree {
  readonly nodes: TreeNode[]
  readonly children: number[][]
  readonly depth: Int32Array
  /** The last node of each subtree, in depth-first searches. */
  private readonly end: Int32Array
  /** The step at which each node appears, from 1; 0 for the root. */
  readonly made: Int32Array
  /** Steps of the search that can be shown: nodes of depth-first searches, iterations of best-first ones. */
  readonly steps: number
  private readonly jumps: Map<number, number[]>
  /** The constant of the bound. */
  private readonly exploration: number

  constructor(readonly data: SearchTree) {
    const nodes = (this.nodes = data.nodes)
    this.children = nodes.map(() => [])
    this.depth = new Int32Array(nodes.length)
    for (const node of nodes) {
      if (node.parent == null) continue
      this.children[node.parent]?.push(node.id)
      this.depth[node.id] = (this.depth[node.parent] ?? 0) + 1
    }
    this.end = Int32Array.from(nodes.keys())
    for (let id = nodes.length - 1; id > 0; id--) {
      const parent = nodes[id]?.parent ?? 0
      this.end[parent] = Math.max(this.end[parent] ?? 0, this.end[id] ?? 0)
    }
    this.jumps = new Map((data.growth?.jumps ?? []).map(({ iteration, nodes }) => [iteration, nodes]))
    this.made = this.isBestFirst ? this.firstVisits() : Int32Array.from(nodes.keys())
    this.steps = data.growth ? data.growth.leaves.length : nodes.length - 1
    this.exploration = this.explorationConstant()
  }

  get isBestFirst(): boolean {
    return this.data.growth != null
  }

  node(id: number): TreeNode {
    return this.nodes[id] as TreeNode
  }

  /** Its share of the search: nodes below, or visits. */
  weight(id: number): number {
    const { visits, nodes } = this.node(id)
    return visits ?? nodes ?? 0
  }

  /** The nodes of an iteration of a best-first search, the deepest first, without the root. */
  path(iteration: number): number[] {
    const path: number[] = []
    const jumps = [...(this.jumps.get(iteration) ?? [])]
    let at = this.data.growth?.leaves[iteration] ?? 0
    while (at !== 0) {
      path.push(at)
      const parent = this.node(at).parent ?? 0
      const jump = jumps[0]
      // Through a transposition the way up continues elsewhere.
      at = jump !== undefined && this.node(jump).transposes_to === parent ? (jumps.shift() as number) : parent
    }
    return path
  }

  private firstVisits(): Int32Array {
    const never = 0x7fffffff
    const made = new Int32Array(this.nodes.length).fill(never)
    const steps = this.data.growth?.leaves.length ?? 0
    made[0] = 0
    // A reused tree was there before.
    const reused = this.data.reused_visits > 0
    for (let step = 0; step < steps; step++) {
      for (const id of this.path(step)) if (made[id] === never) made[id] = step + 1
    }
    for (const node of this.nodes) {
      if (node.parent == null || made[node.id] !== never) continue
      // Unvisited moves are there as soon as their position is.
      made[node.id] = reused || node.visits ? 0 : (made[node.parent] ?? 0)
    }
    return made
  }

  private explorationConstant(): number {
    for (const node of this.nodes) {
      if (node.parent == null || !node.bound || !node.visits || (node.bound[1] ?? 0) <= 0) continue
      if (this.data.bound === 'gumbel-puct' && node.parent === 0) continue
      const unit = this.unit(node, this.node(node.parent).visits ?? 0, node.visits)
      if (unit > 0) return (node.bound[1] ?? 0) / unit
    }
    return 0
  }

  /** The exploration part of a bound, without its constant. */
  private unit(node: TreeNode, parentVisits: number, visits: number): number {
    if (this.data.bound === 'ucb1') return visits > 0 ? Math.sqrt(Math.log(Math.max(1, parentVisits)) / visits) : Infinity
    return ((node.prior ?? 0) * Math.sqrt(parentVisits)) / (1 + visits)
  }

  /** Visits and sums of values of all nodes after `step` iterations. */
  replay(step: number): { visits: Float64Array; sums: Float64Array } {
    const visits = new Float64Array(this.nodes.length)
    const sums = new Float64Array(this.nodes.length)
    const values = this.data.growth?.values ?? []
    for (let iteration = 0; iteration < step; iteration++) {
      const path = this.path(iteration)
      const value = values[iteration] ?? 0
      path.forEach((id, below) => {
        // The first move is the root side's.
        const ply = path.length - below
        visits[id] = (visits[id] ?? 0) + 1
        sums[id] = (sums[id] ?? 0) + (ply % 2 === 1 ? value : -value)
      })
      visits[0] = (visits[0] ?? 0) + 1
      sums[0] = (sums[0] ?? 0) + value
    }
    return { visits, sums }
  }

  /** The numbers of nodes at a step. */
  numbersAt(step: number): (id: number) => Numbers {
    const isLast = step >= this.steps
    if (!this.isBestFirst) {
      return (id) => ({ value: isLast || (this.end[id] ?? 0) < step ? (this.node(id).value ?? undefined) : undefined })
    }
    if (isLast || this.data.reused_visits > 0) {
      return (id) => {
        const node = this.node(id)
        return { value: node.value ?? undefined, visits: node.visits ?? 0, bound: (node.bound as [number, number] | null) ?? undefined }
      }
    }
    const { visits, sums } = this.replay(step)
    return (id) => {
      const node = this.node(id)
      const n = visits[id] ?? 0
      const value = n > 0 ? (sums[id] ?? 0) / n : undefined
      if (node.parent == null || (this.data.bound === 'gumbel-puct' && node.parent === 0)) return { value, visits: n }
      return { value, visits: n, bound: [value, this.exploration * this.unit(node, visits[node.parent] ?? 0, n)] }
    }
  }

  /** What is expanded at first: the root, the last complete iteration, and the move chosen. */
  firstExpanded(): Set<number> {
    const parent = this.lastIteration() ?? 0
    const chosen = this.children[parent]?.findLast((id) => this.isChosen(id))
    return new Set([0, parent, chosen ?? parent])
  }

  /** The last iteration with a value. */
  lastIteration(): number | undefined {
    const iterations = (this.children[0] ?? []).filter((id) => this.node(id).search === 'iteration')
    return iterations.findLast((id) => this.node(id).value != null) ?? iterations.at(-1)
  }

  /** The nodes to show: rows as in an outline, a parent beside its first child. */
  layout(expanded: ReadonlySet<number>, step: number): Layout {
    const index = new Int32Array(this.nodes.length).fill(-1)
    const placed: Placed[] = []
    let row = 0
    let columns = 1
    const stack = [0]
    const isMade = (id: number) => (this.made[id] ?? 0) <= step
    while (stack.length > 0) {
      const id = stack.pop() as number
      const column = this.depth[id] ?? 0
      columns = Math.max(columns, column + 1)
      index[id] = placed.length
      placed.push({ id, row, column })
      const children = expanded.has(id) ? (this.children[id] ?? []).filter(isMade) : []
      if (children.length === 0) row++
      for (let at = children.length - 1; at >= 0; at--) stack.push(children[at] as number)
    }
    return { placed, index, rows: row, columns }
  }

  /** The nodes from the root to a node, without the root. */
  line(id: number): TreeNode[] {
    const line: TreeNode[] = []
    for (let at = this.node(id); at.parent != null; at = this.node(at.parent)) line.push(at)
    return line.reverse()
  }

  /** The moves to a node; undefined if a null move is among them, after which there is no board. */
  moves(id: number): string[] | undefined {
    const line = this.line(id)
    if (line.some((node) => node.step === 'null-move')) return undefined
    return line.flatMap((node) => node.move ?? [])
  }

  /** Whether it is the chosen move at the root, in any iteration. */
  isChosen(id: number): boolean {
    const node = this.node(id)
    if (node.parent == null || node.move !== this.data.choice.move) return false
    const parent = this.node(node.parent)
    return parent.parent == null || parent.search === 'iteration'
  }
}
