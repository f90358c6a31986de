import type { GameName } from '../boards/games'

export const esRules: Record<GameName, string[]> = {
  othello: [
    'Othello se juega en 8 × 8 casillas con fichas negras por un lado y blancas por el otro. Empieza con dos de cada color en el centro y comienzan las negras.',
    'Coloca una ficha de modo que una línea recta de fichas enemigas quede entre ella y otra ficha tuya: en horizontal, vertical o diagonal. Los puntos muestran dónde pueden jugar las negras.',
    'Todas las fichas enemigas de esas líneas se voltean y pasan a ser tuyas. Las que queden encerradas al voltearse otras se quedan como están.',
    'Cada jugada debe voltear al menos una ficha. Quien no puede jugar pasa. Cuando nadie puede, la partida termina y gana quien tiene más fichas; las casillas vacías cuentan para el ganador.',
  ],
  chess: [
    'El ajedrez se juega según las reglas de la FIDE. Comienzan las blancas. Gana quien ataca al rey enemigo de modo que no pueda escapar: jaque mate.',
    'El caballo salta, los alfiles van en diagonal, las torres en línea recta, la dama de ambas formas y el rey una casilla. Los peones avanzan, al principio hasta dos casillas, y capturan en diagonal.',
    'Enroque: rey y torre se mueven a la vez si ninguno se ha movido, no hay nada entre ellos y el rey no cruza una casilla atacada. Un peón que acaba de avanzar dos casillas puede capturarse al paso. Un peón que llega a la última fila se convierte en otra pieza.',
    'El ahogado, la falta de material, la quinta repetición y 75 jugadas sin captura ni movimiento de peón son tablas; la tercera repetición y las 50 jugadas pueden reclamarse.',
  ],
  shobu: [
    'Shōbu se juega en cuatro tableros de 4 × 4, dos oscuros y dos claros. Una cuerda separa los de arriba de los de abajo; los de abajo son la casa de las negras y los de arriba la de las blancas. Comienzan las negras.',
    'Un turno son dos movimientos. Primero el pasivo: una piedra de uno de tus tableros de casa avanza una o dos casillas en cualquier dirección. No empuja nada ni salta piedras.',
    'Después el agresivo: una piedra de un tablero del otro color hace exactamente el mismo paso. Puede empujar una piedra enemiga, incluso fuera del tablero, pero nunca una propia ni dos seguidas.',
    'Pierde quien se queda sin piedras en alguno de los tableros, y también quien no puede mover. La tercera repetición y los 400 turnos son tablas.',
  ],
  tictactoe: [
    'El tres en raya se juega en 3 × 3 casillas. Comienza X; por turnos cada cual pone su marca en una casilla libre.',
    'Ganan tres marcas en fila, columna o diagonal. Un tablero lleno sin línea es un empate.',
  ],
}
