/**
 * A model can refuse to answer, beside or in place of a text. The whole answer is one text everywhere; it
 * is kept at which place of it the refusal begins.
 */

/** Between what the model wrote and its refusal. */
export const beforeRefusal = '\n\n'

export interface SplitAnswer {
  readonly said: string
  /** Null if the model does not refuse. */
  readonly refusal: string | null
}

/** @param refusedFrom where the refusal begins; null or absent for none */
export function splitRefusal(text: string, refusedFrom: number | null | undefined): SplitAnswer {
  if (refusedFrom === null || refusedFrom === undefined) return { said: text, refusal: null }
  const end = Math.max(0, refusedFrom - beforeRefusal.length)
  return { said: text.slice(0, end), refusal: text.slice(refusedFrom) }
}

/** The same text again, as it is stored. */
export function joinRefusal(said: string, refusal: string) {
  const before = said === '' ? '' : `${said}${beforeRefusal}`
  return { content: before + refusal, refusedFrom: before.length }
}
