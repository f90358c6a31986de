/** Localization. A key that a language lacks does not compile. */

import { ApiError, NetworkError } from '../api/client'
import type { ErrorBody, Language, Localized } from '../api/types'
import { settings } from '../settings.svelte'
import { en } from './en'
import { es } from './es'
import { problemText } from './problems'
import { esProblems } from './problems.es'

const LANGUAGES = { en, es }

/** The texts of errors; the server sends English ones. */
const PROBLEMS: Record<Language, (error: ErrorBody) => string> = {
  en: (error) => error.message,
  es: (error) => problemText(esProblems, error),
}

/** The texts in the user's language. */
export function t(): typeof en {
  return LANGUAGES[settings.language]
}

/** A text of the server in the user's language. */
export function local(text: Localized): string {
  return text[settings.language]
}

/** The text of an error in the user's language; errors that are not the server's keep their message. */
export function errorText(error: ErrorBody | Error): string {
  if (error instanceof NetworkError) return t().notLoaded
  if (error instanceof ApiError) return PROBLEMS[settings.language](error.body)
  return error instanceof Error ? error.message : PROBLEMS[settings.language](error)
}

