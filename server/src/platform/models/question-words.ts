/** How much each word of a question says: more if fewer of the agent's passages contain it. */
export interface WordWeights {
  /** Words are in lowercase and without diacritics. */
  readonly words: ReadonlyMap<string, number>
  readonly passageCount: number
}

/** The words that a text may use instead of a word of a question, and what they count, from 0 to 1. */
export type RelatedWords = ReadonlyMap<string, ReadonlyMap<string, number>>
