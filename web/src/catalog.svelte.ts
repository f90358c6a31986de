/** The catalog of the server: fetched once, shared by all pages. */

import { api } from './api/client'
import type { About, Players } from './api/types'
import { defineGames, kindOf, type GameName } from './boards/games'
import { showError } from './ui/messages.svelte'

let aboutServer = $state.raw<About>()
let players = $state.raw(new Map<string, Players>())

/** Fetches the games; nothing can be drawn before. */
export async function loadCatalog() {
  const about = api.about().then((found) => (aboutServer = found), showError)
  defineGames(await api.catalog())
  // Guests see other pages.
  await about
}

export function about(): About | undefined {
  return aboutServer
}

/** The requested rules if the game has them, otherwise its default. */
export function rulesOf(game: GameName, requested: string): string {
  const names = kindOf(game).rules.map((rules) => rules.name)
  return names.includes(requested) ? requested : (names[0] ?? '')
}

/** Fetches the players of a game; read them with `playersOf`. */
export function loadPlayers(game: GameName) {
  if (players.has(game)) return
  api.players(game).then((found) => {
    players = new Map(players).set(game, found)
  }, showError)
}

export function playersOf(game: GameName): Players | undefined {
  return players.get(game)
}
