/** What the server offers: asked for once, and shared by all pages. */

import { api } from './api/client'
import type { About, GameKind, Players } from './api/types'
import type { GameName } from './boards/games'
import { settings } from './settings.svelte'
import { complain } from './ui/messages.svelte'

let aboutServer = $state.raw<About>()
let kinds = $state.raw<GameKind[]>([])
let players = $state.raw(new Map<string, Players>())

export function loadCatalog() {
  api.about().then((found) => (aboutServer = found), complain)
  api.catalog().then((found) => (kinds = found), complain)
}

export function about(): About | undefined {
  return aboutServer
}

export function kindOf(game: string): GameKind | undefined {
  return kinds.find((kind) => kind.name === game)
}

/** The rules to play a game by: those wanted if it has them, otherwise its usual ones. */
export function rulesOf(game: GameName, wanted: string): string {
  const known = kindOf(game)?.rules ?? []
  return known.includes(wanted) ? wanted : (known[0] ?? '')
}

/** Asks for the players of a game, in the page's language; read them with `playersOf`. */
export function loadPlayers(game: GameName) {
  const { language } = settings
  const key = `${game} ${language}`
  if (players.has(key)) return
  api.players(game, language).then((found) => {
    players = new Map(players).set(key, found)
  }, complain)
}

export function playersOf(game: GameName): Players | undefined {
  return players.get(`${game} ${settings.language}`)
}
