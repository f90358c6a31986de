/** Players besides the levels: searches, networks, what the Lab trained, and other programs where the server allows them. */

import { api } from '../api/client'
import type { JobSummary, Players } from '../api/types'
import type { GameName } from '../boards/games'
import { about } from '../catalog.svelte'
import { t } from '../i18n'
import { evolvedLine, learnedLine } from '../lab/artifacts'
import { playerText } from '../game/names'

export interface PlayerGroup {
  label: string
  options: { value: string; text: string }[]
}

/** The end of a line that the user has to complete. */
export const PROGRAM = ' PROGRAM'

let jobs = $state.raw<JobSummary[]>([])
let asked = false

/** Fetches the jobs, once. */
export function loadTrained() {
  if (asked) return
  asked = true
  // Without them the list is only shorter.
  api.jobs().then((found) => (jobs = found), () => {})
}

/** The best player of a job, once it has one. */
function trainedLine(job: JobSummary): string | undefined {
  const generation = job.progress?.done ?? 0
  if (generation < 1) return undefined
  if (job.kind === 'learn') return learnedLine(job.id, generation)
  return job.kind === 'evolution' ? evolvedLine('alphabeta depth=4', job.id, generation, 1) : undefined
}

/** The groups of a game, without empty ones. */
export function otherPlayers(game: GameName, players: Players | undefined): PlayerGroup[] {
  const kinds = players?.kinds ?? []
  const plain = kinds.filter((kind) => !kind.words && !kind.starts_program)
  const networks = kinds.flatMap((kind) => {
    const values = kind.options.find((option) => option.name === 'net')?.values
    return values?.kind === 'choice' ? values.values.map((name) => `${kind.name} net=${name}`) : []
  })
  const trained = jobs.filter((job) => job.game === game).flatMap((job) => trainedLine(job) ?? [])
  const programs = about()?.allows_engines ? kinds.filter((kind) => kind.starts_program) : []
  const same = (value: string) => ({ value, text: playerText(value) })
  return [
    { label: t().seats.searches, options: plain.map((kind) => same(kind.name)) },
    { label: t().seats.networks, options: networks.map(same) },
    { label: t().seats.trained, options: trained.map(same) },
    { label: t().seats.engines, options: programs.map(({ name }) => ({ value: name + PROGRAM, text: t().seats.engine(name) })) },
  ].filter((group) => group.options.length > 0)
}
