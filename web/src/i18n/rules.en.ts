import type { GameName } from '../boards/games'

/** The rules, a few short paragraphs each; help/figures.ts has the pictures for them, in order. */
export const enRules: Record<GameName, string[]> = {
  othello: [
    'Othello is played on 8 × 8 squares with discs that are black on one side and white on the other. It starts with two of each in the middle, and Black begins.',
    'Put a disc so that a straight line of enemy discs lies between it and another disc of yours: across, down or diagonally. The dots show where Black may move.',
    'All enemy discs in such lines turn and are yours. Discs that come to lie between by the turning of others stay as they are.',
    'A move must turn at least one disc. Who cannot move passes. When neither can, the game is over and most discs win; empty squares count for the winner.',
  ],
  chess: [
    'Chess is played by the rules of FIDE. White begins. Whoever attacks the enemy king so that it cannot escape has won: checkmate.',
    'The knight jumps, bishops move diagonally, rooks straight, the queen both ways, the king one square. Pawns move forward, two squares at first, and capture diagonally.',
    'Castling: king and rook move at once, if neither has moved, nothing stands between them, and the king crosses no attacked square. A pawn that has just gone two squares can be taken as if it had gone one. A pawn on the last row becomes another piece.',
    'Stalemate, too little material, the fifth repetition and 75 moves without capture or pawn move are draws; the third repetition and 50 moves can be claimed.',
  ],
  shobu: [
    'Shōbu is played on four boards of 4 × 4, two dark and two light. A rope lies between the upper and the lower pair; the lower boards are Black’s home, the upper ones White’s. Black begins.',
    'A turn is two moves. First the passive one: a stone on one of your home boards goes one or two squares in any direction. It pushes nothing and crosses no stone.',
    'Then the aggressive one: a stone on a board of the other colour makes exactly the same step. It may push one enemy stone before it, also off the board, but never an own stone or two in a row.',
    'Who has no stone left on any one of the boards has lost, and so has who cannot move. The third repetition and 400 turns are draws.',
  ],
  tictactoe: [
    'Tic-tac-toe is played on 3 × 3 squares. X begins; in turn each puts a mark on a free square.',
    'Three marks in a row, column or diagonal win. A full board without such a line is a draw.',
  ],
}
