/** What the Lab offers: a way to start each kind of job, and a component that shows its result. */

import type { Component } from 'svelte'
import type { JobView } from '../api/types'
import { t } from '../i18n'
import type { IconName } from '../ui/Icon.svelte'
import ArenaResult from './ArenaResult.svelte'
import EvolutionResult from './EvolutionResult.svelte'
import LearningResult from './LearningResult.svelte'

interface Starter {
  /** The page that starts such a job. */
  path: string
  icon: IconName
  title: () => string
  lead: () => string
}

export const STARTERS: Starter[] = [
  { path: 'lab/arena', icon: 'trophy', title: () => t().lab.arena, lead: () => t().lab.arenaLead },
  { path: 'lab/evolution', icon: 'branch', title: () => t().evolution.title, lead: () => t().evolution.lead },
  { path: 'lab/learning', icon: 'bulb', title: () => t().learning.title, lead: () => t().learning.lead },
]

interface Result {
  component: Component<{ view: JobView }>
  /** Whether it draws all curves that matter itself. */
  hasCurves: boolean
}

/** By the job's kind; a kind that is not here shows its figures only. */
export const RESULTS: Record<string, Result | undefined> = {
  match: { component: ArenaResult, hasCurves: false },
  tournament: { component: ArenaResult, hasCurves: false },
  evolution: { component: EvolutionResult, hasCurves: true },
  learn: { component: LearningResult, hasCurves: true },
}
