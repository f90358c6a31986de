/**
 * Artifacts of jobs in player lines: `job:evolution-3/100/2` is the second best individual of generation 100 of an
 * evolution, `job:learn-1/5` the network of generation 5 of a learning run.
 */

/** A player line with an individual of an evolution as its evaluation. */
export function evolvedLine(player: string, job: string, generation: number, number: number): string {
  return `${player} eval=job:${job}/${generation}/${number}`
}

/** A player line with a network of a learning run. */
export function learnedLine(job: string, generation: number, sims = 200): string {
  return `puct net=job:${job}/${generation} sims=${sims}`
}

export interface Artifact {
  job: string
  generation: number
  /** The rank in an evolution's generation; undefined for a network. */
  number: number | undefined
  /** The line without the artifact. */
  player: string
}

/** The artifact in a player line, if there is one. */
export function artifactIn(line: string): Artifact | undefined {
  const found = /\b(?:eval|net)=job:([\w-]+)\/(\d+)(?:\/(\d+))?/.exec(line)
  if (!found) return undefined
  const [name, job = '', generation = '', number] = found
  const player = line.replace(name, '').replace(/\s+/g, ' ').trim()
  return { job, generation: Number(generation), number: number === undefined ? undefined : Number(number), player }
}

/** The player file in a player line, if there is one: `file:NAME`, or `file:NAME#3` for an individual. */
export function fileIn(line: string): string | undefined {
  return /\b(?:eval|net|weights)=file:(\S+)/.exec(line)?.[1]
}

/** The best individuals of a generation. */
export interface Group {
  generation: number
  count: number
}

/** The players of Othello7's crosstable. */
const OTHELLO7: Group[] = [
  { generation: 1, count: 4 },
  { generation: 2, count: 2 },
  { generation: 5, count: 2 },
  { generation: 100, count: 2 },
]

/** The groups of Othello7's crosstable; the last generation replaces those that do not exist yet. */
export function defaultGroups(first: number, last: number): Group[] {
  const groups: Group[] = []
  for (const { generation, count } of OTHELLO7) {
    const existing = Math.min(last, first - 1 + generation)
    if (!groups.some((group) => group.generation === existing)) groups.push({ generation: existing, count })
  }
  return groups
}

/** The player lines of the groups, fittest first. */
export function groupLines(groups: Group[], player: string, job: string): string[] {
  return groups.flatMap(({ generation, count }) =>
    Array.from({ length: count }, (_, index) => evolvedLine(player, job, generation, index + 1)),
  )
}

/** Othello7 calls its players CPUa, CPUb, … */
export function cpuName(index: number): string {
  return `CPU${index < 26 ? String.fromCharCode(97 + index) : index + 1}`
}
