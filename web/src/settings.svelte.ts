/** What a person chose about the page; kept in the browser. */

export type Language = 'en' | 'es'
type Theme = 'auto' | 'light' | 'dark'

interface Choices {
  language: Language
  theme: Theme
  /** Marks where one may move. */
  dots: boolean
  coordinates: boolean
  animation: boolean
  sounds: boolean
  /** Shows what an analysis says on the board: values on squares, or arrows. */
  hints: boolean
  lines: number
  threads: number
  memory: number
}

const KEY = 'tablero.settings'

function defaults(): Choices {
  const spanish = navigator.language.toLowerCase().startsWith('es')
  return {
    language: spanish ? 'es' : 'en',
    theme: 'auto',
    dots: true,
    coordinates: true,
    animation: true,
    sounds: false,
    hints: true,
    lines: 3,
    threads: 1,
    memory: 64,
  }
}

function load(): Choices {
  try {
    return { ...defaults(), ...JSON.parse(localStorage.getItem(KEY) ?? '{}') }
  } catch {
    return defaults()
  }
}

export const settings = $state(load())

const darkSystem = matchMedia('(prefers-color-scheme: dark)')
let systemIsDark = $state(darkSystem.matches)
darkSystem.addEventListener('change', (event) => (systemIsDark = event.matches))

export function isDark(): boolean {
  return settings.theme === 'dark' || (settings.theme === 'auto' && systemIsDark)
}

/** Keeps the choices and lets the document follow them; call once, from a component. */
export function followSettings() {
  $effect(() => {
    localStorage.setItem(KEY, JSON.stringify(settings))
  })
  $effect.pre(() => {
    const root = document.documentElement
    root.lang = settings.language
    root.dataset.theme = isDark() ? 'dark' : 'light'
    root.dataset.motion = settings.animation ? 'on' : 'off'
  })
}
