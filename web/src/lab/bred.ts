/**
 * Names for what jobs have made: `job:evolution-3/100/2` is the second best of generation 100 of an evolution,
 * `job:learn-1/5` the network of generation 5 of a learning run.
 */

/** A player line that judges positions as an individual does. */
export function bredLine(player: string, job: string, generation: number, number: number): string {
  return `${player} eval=job:${job}/${generation}/${number}`
}

/** A player line with the network of a generation of a learning run. */
export function learnedLine(job: string, generation: number): string {
  return `puct net=job:${job}/${generation} sims=200`
}

export interface Bred {
  job: string
  generation: number
  /** The place in an evolution's generation; a learning run has one network a generation. */
  number: number | undefined
  /** The line without the individual. */
  player: string
}

/** Who a player line names, if it is somebody who was bred. */
export function bredIn(line: string): Bred | undefined {
  const found = /\b(?:eval|net)=job:([\w-]+)\/(\d+)(?:\/(\d+))?/.exec(line)
  if (!found) return undefined
  const [name, job = '', generation = '', number] = found
  const player = line.replace(name, '').replace(/\s+/g, ' ').trim()
  return { job, generation: Number(generation), number: number === undefined ? undefined : Number(number), player }
}

/** So many of a generation. */
export interface Group {
  generation: number
  count: number
}

/** Whom Othello7 lets play: four of one generation, two of two, two of five, two of a hundred. */
const OTHELLO7: Group[] = [
  { generation: 1, count: 4 },
  { generation: 2, count: 2 },
  { generation: 5, count: 2 },
  { generation: 100, count: 2 },
]

/** Othello7's choice as far as there are such generations; the newest stands in for later ones. */
export function usualGroups(first: number, last: number): Group[] {
  const groups: Group[] = []
  for (const { generation, count } of OTHELLO7) {
    const there = Math.min(last, first - 1 + generation)
    if (!groups.some((group) => group.generation === there)) groups.push({ generation: there, count })
  }
  return groups
}

/** The lines of all who play, the best of each generation first. */
export function groupLines(groups: Group[], player: string, job: string): string[] {
  return groups.flatMap(({ generation, count }) =>
    Array.from({ length: count }, (_, index) => bredLine(player, job, generation, index + 1)),
  )
}

/** Othello7 calls its players CPUa, CPUb, … */
export function cpuName(index: number): string {
  return `CPU${index < 26 ? String.fromCharCode(97 + index) : index + 1}`
}
