/** The usual constants of BM25; those of FTS5, too, which allows no others. */
export const k1 = 1.2
export const b = 0.75

/** How much more a term in the title or a heading counts than one in the text. */
export const headingWeight = 2

/**
 * A term in more than this share of an agent's chunks hardly distinguishes them but costs the most
 * to score: it is used only where the question has no rarer one. Below `alwaysCounted` chunks it
 * costs nothing, so small collections are ranked by every term.
 */
export const commonPart = 0.25
export const alwaysCounted = 1000
