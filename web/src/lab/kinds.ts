/** The pages of the Lab, most of which start jobs, and a component for the results of each kind of job. */

import type { Component } from 'svelte'
import type { JobView } from '../api/types'
import { t } from '../i18n'
import type { IconName } from '../ui/Icon.svelte'
import ArenaResult from './ArenaResult.svelte'
import EvolutionResult from './EvolutionResult.svelte'
import ExperimentResult from './ExperimentResult.svelte'
import LearningResult from '../learning/LearningResult.svelte'
import { words as thinkWords } from '../think/words'

interface Starter {
  /** The page's route. */
  path: string
  icon: IconName
  title: () => string
  lead: () => string
}

export const STARTERS: Starter[] = [
  { path: 'lab/arena', icon: 'trophy', title: () => t().lab.arena, lead: () => t().lab.arenaLead },
  { path: 'lab/evolution', icon: 'branch', title: () => t().evolution.title, lead: () => t().evolution.lead },
  { path: 'lab/learning', icon: 'bulb', title: () => t().learning.title, lead: () => t().learning.lead },
  { path: 'lab/think', icon: 'search', title: () => thinkWords().title, lead: () => thinkWords().starter },
  { path: 'lab/experiments', icon: 'flask', title: () => t().experiments.title, lead: () => t().experiments.starter },
  { path: 'lab/players', icon: 'chip', title: () => t().playerFiles.title, lead: () => t().playerFiles.starter },
]

interface Result {
  component: Component<{ view: JobView }>
  /** Whether it draws its own curves. */
  hasCurves: boolean
}

/** By the job's kind; other kinds show only the curves of their metrics. */
export const RESULTS: Record<string, Result | undefined> = {
  match: { component: ArenaResult, hasCurves: false },
  tournament: { component: ArenaResult, hasCurves: false },
  evolution: { component: EvolutionResult, hasCurves: true },
  learn: { component: LearningResult, hasCurves: true },
  experiment: { component: ExperimentResult, hasCurves: true },
}
