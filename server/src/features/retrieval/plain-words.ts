import { normalized } from '#kernel/normalized.ts'

/** The part of a question whose words are weighed and corrected. UTF-16 code units. */
const maxQuestionLength = 4000

const words = /[\p{L}\p{N}]+/gu

/** The distinct words of a question, in lowercase and without diacritics. */
export function plainWords(question: string): Set<string> {
  return new Set(plain(question).match(words))
}

/** A question with other words in the place of some. */
export function replaceWords(question: string, others: ReadonlyMap<string, string>): string {
  return plain(question).replace(words, (word) => others.get(word) ?? word)
}

function plain(question: string): string {
  const text = normalized(question.slice(0, maxQuestionLength), 'NFKD').replace(/\p{Mn}/gu, '')
  return text.toLowerCase()
}
