/** The words of the page. A key that one language lacks does not compile. */

import { ApiError } from '../api/client'
import type { ErrorBody, Language, Localized } from '../api/types'
import { settings } from '../settings.svelte'
import { en } from './en'
import { es } from './es'
import { wordProblem } from './problems'
import { esProblems } from './problems.es'
import { esSaid } from './said.es'
import { esText } from './texts.es'

const LANGUAGES = { en, es }

/** The server's own words are English. */
const PROBLEMS: Record<Language, (error: ErrorBody) => string> = {
  en: (error) => error.message,
  es: (error) => wordProblem(esProblems, error),
}

/** The words in the language that the person chose. */
export function t(): typeof en {
  return LANGUAGES[settings.language]
}

/** What the program says in both languages, in the one that the person chose. */
export function local(text: Localized): string {
  return text[settings.language]
}

/** What went wrong, in the language that the person chose: what the server answered, or whatever else was thrown. */
export function errorText(error: ErrorBody | Error): string {
  if (error instanceof ApiError) return PROBLEMS[settings.language](error.body)
  return error instanceof Error ? error.message : PROBLEMS[settings.language](error)
}

/** What the program says of itself and of its jobs, in English, in the language that the person chose. */
export function said(text: string): string {
  return settings.language === 'es' ? (esSaid[text] ?? esText(text)) : text
}
