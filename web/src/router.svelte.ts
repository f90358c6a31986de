/** The route, from the URL's fragment: `#/library?game=chess`. */

export interface Route {
  /** The segments of the path: ['library']. */
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

/** A segment with invalid percent-encoding stays as it is. */
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

/** Changes the route without a new history entry. */
export function replace(path: string, query?: Record<string, string>) {
  history.replaceState(null, '', href(path, query))
  current = parseRoute(location.hash)
}
