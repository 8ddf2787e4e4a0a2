// Finds the word that somebody probably meant. It stands apart because options, turns and
// declarations all answer a typing error with the same suggestion; `suggest.rs` finds it the same
// way for configuration files.

/** Longer words are no slips of the finger; it also bounds the work. */
const maxChars = 64

/** The candidate nearest to `word`, unless it is too far away to be what was meant. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const allowed = Math.max(1, Math.floor(word.length / 3))
  let best: string | undefined
  let fewest = allowed + 1
  for (const candidate of candidates) {
    if (word.length > maxChars || candidate.length > maxChars) continue
    const slips = distance(word.toLowerCase(), candidate.toLowerCase())
    // Every letter replaced is another word, not a slip.
    if (slips < fewest && slips < Math.max(word.length, candidate.length)) {
      best = candidate
      fewest = slips
    }
  }
  return best
}

/** `did you mean …?`, or the list when nothing is near, for the help of an error. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const meant = nearest(word, candidates)
  if (meant !== undefined) return `did you mean \`${meant}\`?`
  if (candidates.length === 0) return 'there is none'
  return `known are ${candidates.map((candidate) => `\`${candidate}\``).join(', ')}`
}

/** The optimal string alignment distance: inserted, lost, replaced and swapped letters. */
function distance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = at(last, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1)
      let cost = Math.min(replaced, at(last, column) + 1, at(current, column - 1) + 1)
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (row > 1 && column > 1 && isSwap) cost = Math.min(cost, at(beforeLast, column - 2) + 1)
      current.push(cost)
    }
    beforeLast = last
    last = current
  }
  return at(last, to.length)
}

function at(cells: readonly number[], index: number): number {
  return cells[index] ?? maxChars
}
