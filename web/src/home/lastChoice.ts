/** The choices of the last new game, stored in the browser. */

interface Choice {
  mode?: 'computer' | 'humans' | 'watch' | 'remote'
  line?: string
  name?: string
}

const KEY = 'tablero.lastChoice'

export function loadChoice(): Choice {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Choice
  } catch {
    return {}
  }
}

export function saveChoice(choice: Choice) {
  localStorage.setItem(KEY, JSON.stringify(choice))
}
