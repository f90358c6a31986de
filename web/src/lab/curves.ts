/** Curves over steps: reading them, their margins of error, several of them over common steps. */

/** The index of the last known value at a step or before it, -1 if there is none; of all steps if it is undefined. */
export function lastUpTo(steps: number[], values: (number | null)[], step: number | undefined): number {
  return values.findLastIndex((value, index) => value != null && (step === undefined || (steps[index] ?? 0) <= step))
}

/** The margin of error of a value. */
export interface ErrorMark {
  step: number
  low: number
  high: number
}

/** The margins of the values that have one. */
export function errorMarks(steps: number[], values: (number | null)[], errors: (number | null)[]): ErrorMark[] {
  return steps.flatMap((step, index) => {
    const [value, error] = [values[index], errors[index]]
    return value == null || error == null ? [] : [{ step, low: value - error, high: value + error }]
  })
}

/** A point of a curve with its own steps. */
export interface Point {
  step: number
  value: number | null
  error?: number | null
}

/** Curves with their own steps over the union of all steps, in order; null where a curve has no point. */
export function align(curves: Point[][]): { steps: number[]; values: (number | null)[][]; errors: (number | null)[][] } {
  const steps = [...new Set(curves.flatMap((points) => points.map((point) => point.step)))].sort((a, b) => a - b)
  const columns = curves.map((points) => new Map(points.map((point) => [point.step, point])))
  return {
    steps,
    values: columns.map((known) => steps.map((step) => known.get(step)?.value ?? null)),
    errors: columns.map((known) => steps.map((step) => known.get(step)?.error ?? null)),
  }
}
