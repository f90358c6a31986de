/** The texts of the server's errors by code. A code that a language lacks does not compile. */

import type { ErrorBody, Problem } from '../api/types'

type Text<P extends Problem> = P extends { params: infer Params } ? (params: Params) => string : string

/** The text of each code; a function of its parameters, if it has any. */
export type ProblemTexts = { [P in Problem as P['code']]: Text<P> }

export function problemText(texts: ProblemTexts, error: ErrorBody): string {
  // A page older than the server may not know the code.
  const text = (texts as Partial<ProblemTexts>)[error.code]
  if (text === undefined) return error.message
  if (typeof text === 'string') return text
  // TypeScript cannot correlate the text with the parameters.
  const params = ('params' in error ? error.params : undefined) as never
  return text(params)
}
