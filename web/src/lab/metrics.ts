/** Display of the metrics and stages of jobs. */

import type { JobStage, Metric } from '../api/types'
import { t } from '../i18n'
import { formatShort } from '../i18n/numbers'

/** The error of a metric is a metric with this suffix. */
const ERROR = '_error'

export const isError = (name: string) => name.endsWith(ERROR)

export const metricName = (name: string) => t().lab.metrics[name] ?? name

/** The stage of a job: generation 3: training. */
export function stageText({ name, generation }: JobStage): string {
  return t().lab.stage(generation, t().lab.stages[name] ?? name)
}

/** Each metric with its name, and its error if known. */
export function metricTexts(metrics: Metric[]): string[] {
  const errorOf = (name: string) => metrics.find((metric) => metric.name === name + ERROR)
  return metrics
    .filter(({ name }) => !isError(name))
    .map(({ name, value }) => {
      const error = errorOf(name)
      return `${metricName(name)} ${formatShort(value)}${error ? ` ± ${formatShort(error.value)}` : ''}`
    })
}
