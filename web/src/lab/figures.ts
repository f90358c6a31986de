/** The figures that jobs tell, as people read them. */

import type { JobView } from '../api/types'
import { shortNumber } from '../game/names'
import { said } from '../i18n'

type Figure = JobView['events'][number]['progress']['figures'][number]

/** The error of a figure is told under the figure's name and this. */
const ERROR = '_error'

export const isError = (name: string) => name.endsWith(ERROR)

export const figureName = (name: string) => (name === 'elo' ? 'Elo' : said(name))

/** Each with its name, and with its error if that is known. */
export function figureTexts(figures: Figure[]): string[] {
  const errorOf = (name: string) => figures.find((figure) => figure.name === name + ERROR)
  return figures
    .filter(({ name }) => !isError(name))
    .map(({ name, value }) => {
      const error = errorOf(name)
      return `${figureName(name)} ${shortNumber(value)}${error ? ` ± ${shortNumber(error.value)}` : ''}`
    })
}
