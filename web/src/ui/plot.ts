/** Shared by all plots: theme colours, and plots that follow the width of their container. */

import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

/** The current value of a CSS colour variable. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}

/** The number of curve colours: --curve-0, --curve-1, ... */
export const CURVE_COLOURS = 12

/** The CSS colour variable of a curve. */
export function curveColour(index: number): string {
  return `--curve-${index % CURVE_COLOURS}`
}

/** A scale around all values from `low` to `high`, with round ends. */
export function rangeAround(low: number, high: number): [number, number] {
  const [from, to] = low > high ? [0, 1] : uPlot.rangeNum(low, high, 0.1, true)
  return [from ?? 0, to ?? 1]
}

/** Creates a plot in `element`; returns it with a function that removes it. */
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
