/** Numbers in the language of the page: Spanish has a decimal comma. */

import { settings } from '../settings.svelte'

/** Replaces the decimal point of a number's text. */
function localize(text: string): string {
  return settings.language === 'es' ? text.replace('.', ',') : text
}

export function formatNumber(value: number): string {
  return localize(String(value))
}

/** With a fixed number of decimals. */
export function formatFixed(value: number, digits: number): string {
  return localize(value.toFixed(digits))
}

/** With three significant digits: 1234, 12.3, 0.012. */
export function formatShort(value: number | null | undefined): string {
  if (value == null || !Number.isFinite(value)) return '–'
  if (Math.abs(value) >= 1000) return value.toFixed(0)
  return formatNumber(Number(value.toPrecision(3)))
}

/** In compact notation: 1.2K. */
export function formatCompact(value: number): string {
  return value.toLocaleString(settings.language, { notation: 'compact', maximumFractionDigits: 1 })
}

/** A file's size: 1.2 MB. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1e6 ? `${formatFixed(bytes / 1000, 1)} kB` : `${formatFixed(bytes / 1e6, 1)} MB`
}
