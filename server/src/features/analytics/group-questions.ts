import { analyseQuery } from '#features/text-analysis/index.ts'
import { CpuSlice } from '#kernel/cpu-slice.ts'

/**
 * Words that ask for different things, which a search ignores: "when do you open" and "where do you
 * open" are two questions.
 */
const asking =
  /(?<!\p{L})(?:when|where|who|why|wann|wo|wer|warum|quand|où|qui|pourquoi|cuándo|dónde|quién|quando|dove|chi|perché)(?!\p{L})/gu

/** @param question in lower case */
export function askingWords(question: string): string[] {
  return question.match(asking) ?? []
}

/**
 * What wordings of the same question have in common: their words in any order, without endings and
 * without words such as "the". A question of such words alone is compared as it is.
 *
 * @param question in lower case
 */
export function questionKey(question: string): string {
  const words = analyseQuery(question)
  if (words.length === 0) return question
  return [...new Set([...words, ...askingWords(question)])].toSorted().join(' ')
}

/**
 * Adds up the wordings of each question.
 *
 * @param counts how often each wording was used
 * @returns the counts under the most frequent wording of each question; ties by the text
 */
export async function groupQuestions(
  counts: Iterable<readonly [string, number]>,
): Promise<[string, number][]> {
  const slice = new CpuSlice()
  const groups = new Map<string, { wording: string; most: number; count: number }>()
  for (const [wording, count] of counts) {
    if (slice.isOver) await slice.next()
    const key = questionKey(wording)
    const group = groups.get(key)
    if (group === undefined) {
      groups.set(key, { wording, most: count, count })
      continue
    }
    group.count += count
    if (count > group.most || (count === group.most && wording < group.wording)) {
      group.wording = wording
      group.most = count
    }
  }
  return [...groups.values()].map(({ wording, count }) => [wording, count])
}
