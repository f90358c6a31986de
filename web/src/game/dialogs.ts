/** The dialogs of a game. */
export type GameDialog = 'new' | 'share' | 'game' | 'resign' | 'opponent' | 'seats' | 'invite'
