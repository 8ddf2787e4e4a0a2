// Finds the word that somebody probably meant. It stands apart because options, turns and
// declarations all answer a typing error with the same suggestion.

/** The candidate nearest to `word`, unless it is too far away to be what was meant. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined
  // A third of the letters may be wrong; with more, a suggestion confuses.
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** `did you mean \`x\`?`, or the list when it is short, for the help of an error. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const meant = nearest(word, candidates)
  if (meant !== undefined) return `did you mean \`${meant}\`?`
  return `known are ${candidates.map((candidate) => `\`${candidate}\``).join(', ')}`
}

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= right.length; column += 1) {
      const substitution =
        (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1)
      const deletion = (previous[column] ?? 0) + 1
      const insertion = (current[column - 1] ?? 0) + 1
      current.push(Math.min(substitution, deletion, insertion))
    }
    previous = current
  }
  return previous[right.length] ?? 0
}
