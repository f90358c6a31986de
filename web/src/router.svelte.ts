/** Where we are, from the part of the address after `#`: `#/library?game=chess`. */

export interface Route {
  /** The path's parts: ['library']. */
  path: string[]
  query: URLSearchParams
}

export function parseRoute(hash: string): Route {
  const text = hash.replace(/^#\/?/, '')
  const at = text.indexOf('?')
  const path = at < 0 ? text : text.slice(0, at)
  return {
    path: path.split('/').filter(Boolean).map(decodeSafely),
    query: new URLSearchParams(at < 0 ? '' : text.slice(at + 1)),
  }
}

/** A part that is not rightly encoded stays as it is. */
function decodeSafely(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

let current = $state.raw(parseRoute(location.hash))

addEventListener('hashchange', () => (current = parseRoute(location.hash)))

export function route(): Route {
  return current
}

export function href(path: string, query?: Record<string, string>): string {
  const search = query ? `?${new URLSearchParams(query)}` : ''
  return `#/${path}${search}`
}

export function go(path: string, query?: Record<string, string>) {
  location.hash = href(path, query)
}

/** Changes the address without a new entry in the browser's history. */
export function replace(path: string, query?: Record<string, string>) {
  history.replaceState(null, '', href(path, query))
  current = parseRoute(location.hash)
}
