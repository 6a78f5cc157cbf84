/** The names most similar to `word`, best first: edits for at most a quarter of its letters. */
export function nearest(word: string, names: readonly string[], most = 3): readonly string[] {
  const reach = Math.max(2, Math.floor(word.length / 4))
  return names
    .map((name) => ({ name, distance: editDistance(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ distance }) => distance <= reach)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ name }) => name)
}

/** Levenshtein distance, one row of the table at a time. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...to].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1)
      const inserted = (current[column] ?? 0) + 1
      const removed = (previous[column + 1] ?? 0) + 1
      current.push(Math.min(replaced, inserted, removed))
    }
    previous = current
  }
  return previous.at(-1) ?? 0
}
