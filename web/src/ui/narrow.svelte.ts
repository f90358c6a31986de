/** Whether the page is as narrow as on a phone, where a game is one column; the same as in its style sheet. */

const query = matchMedia('(max-width: 42rem), (max-width: 56rem) and (max-aspect-ratio: 4/3)')

export const narrow = $state({ is: query.matches })

query.addEventListener('change', (event) => (narrow.is = event.matches))
