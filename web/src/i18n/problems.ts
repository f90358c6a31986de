/** How a language words the server's problems. A code that a language lacks does not compile. */

import type { ErrorBody, Problem } from '../api/types'

type Wording<P extends Problem> = P extends { params: infer Params } ? (params: Params) => string : string

/** The text of each code; a function of the parameters where the code has some. */
export type ProblemTexts = { [P in Problem as P['code']]: Wording<P> }

export function wordProblem(texts: ProblemTexts, error: ErrorBody): string {
  // A page that was open while the server was replaced may meet a code that it does not know.
  const text = (texts as Partial<ProblemTexts>)[error.code]
  if (text === undefined) return error.message
  if (typeof text === 'string') return text
  // The compiler does not see that text and parameters are of the same code.
  const params = ('params' in error ? error.params : undefined) as never
  return text(params)
}
