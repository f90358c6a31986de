/** What all curves share: colours from the design, and a plot that follows the width of its place. */

import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

/** The value of a colour variable now. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}

/** How many curves of one plot can be told apart by their colours: --curve-0 and so on. */
export const CURVE_COLOURS = 12

/** The colour variable of a plot's curve. */
export function curveColour(index: number): string {
  return `--curve-${index % CURVE_COLOURS}`
}

/** Puts a plot into `element`; gives the plot and a way to take it away again. */
export function makePlot(
  element: HTMLElement,
  options: Omit<uPlot.Options, 'width'>,
  data: uPlot.AlignedData,
): { plot: uPlot; remove: () => void } {
  const width = () => element.clientWidth || 300
  const plot = new uPlot({ ...options, width: width() }, data, element)
  const observer = new ResizeObserver(() => plot.setSize({ width: width(), height: options.height }))
  observer.observe(element)
  const remove = () => {
    observer.disconnect()
    plot.destroy()
  }
  return { plot, remove }
}
