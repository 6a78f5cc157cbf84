/** UTF-16 code units of a text that is parsed. */
const longest = 100_000

/** The time that the parser takes can grow with the square of these. */
const marks = /[\\`*_[\]<>|~!&]/g
const mostMarks = 4_000

/** Deeply nested quotes and lists exceed the stack of the parser. */
const nested = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))){20}/m

/**
 * Whether a text can be parsed as Markdown without stopping the page. Anybody who talks to an agent writes
 * texts that its editors read.
 */
export function isBounded(text: string): boolean {
  if (text.length > longest || nested.test(text)) return false
  return (text.match(marks)?.length ?? 0) <= mostMarks
}
