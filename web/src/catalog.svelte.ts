/** What the server offers: asked for once, and shared by all pages. */

import { api } from './api/client'
import type { About, Players } from './api/types'
import { defineGames, kindOf, type GameName } from './boards/games'
import { settings } from './settings.svelte'
import { complain } from './ui/messages.svelte'

let aboutServer = $state.raw<About>()
let players = $state.raw(new Map<string, Players>())

/** Asks what there is; nothing can be drawn before. */
export async function loadCatalog() {
  api.about().then((found) => (aboutServer = found), complain)
  defineGames(await api.catalog())
}

export function about(): About | undefined {
  return aboutServer
}

/** The rules to play a game by: those wanted if it has them, otherwise its usual ones. */
export function rulesOf(game: GameName, wanted: string): string {
  const known = kindOf(game).rules.map((rules) => rules.name)
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
