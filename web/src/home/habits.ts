/** What the person chose for the last new game. */

interface Habits {
  mode?: 'machine' | 'people' | 'watch'
  line?: string
  name?: string
}

const KEY = 'tablero.habits'

export function remember(): Habits {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Habits
  } catch {
    return {}
  }
}

export function keep(habits: Habits) {
  localStorage.setItem(KEY, JSON.stringify(habits))
}
