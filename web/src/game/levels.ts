/** Levels by what they are for people. */

import type { LevelInfo } from '../api/types'
import type { GameName } from '../boards/games'
import { playersOf } from '../catalog.svelte'
import { t } from '../i18n'

/** The level behind a line like `level 3` or `level easy`, if it is known. */
export function levelOf(game: GameName, line: string): LevelInfo | undefined {
  const players = playersOf(game)
  const alias = players?.named.find((named) => named.player === line)?.alias_of ?? line
  return players?.levels.find((level) => level.player === alias)
}

/** What a level is for people: club player; empty if that is not known. */
export function levelText(game: GameName, line: string): string {
  const strength = levelOf(game, line)?.strength
  return strength ? t().players.strengths[strength] : ''
}
