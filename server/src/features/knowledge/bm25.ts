/** The usual constants of BM25; those of FTS5, too, which allows no others. */
export const k1 = 1.2
export const b = 0.75

/** How much more a term in the title or a heading counts than one in the text. */
export const headingWeight = 2

/**
 * A term that more than this part of an agent's chunks hold tells them hardly apart, but costs the
 * most to count: it is looked for only where the question has no rarer one. Below `alwaysCounted`
 * chunks it costs nothing, so that small collections are ranked by every term.
 */
export const commonPart = 0.25
export const alwaysCounted = 1000
