import type { RankedPassage, RankedStatement } from './rank-passages.ts'

/** What an answer quotes of a passage, in reading order. */
export interface Choice {
  readonly passage: RankedPassage
  readonly statements: readonly RankedStatement[]
}

/**
 * How long what an answer quotes of its first, second and third place is, unless the best statement of
 * the place is longer.
 */
const characters = [600, 400, 260] as const

/** How many places an answer quotes at most. */
export const maxPlaces = characters.length

/** A place is quoted if its score is this near to that of the best one. */
const near = 2

const maxStatements = 4

/** A paragraph of up to this length is quoted whole. */
const maxParagraph = 350

/** A statement is quoted if it is worth this share of the best one of its place. */
const statementShare = 0.64

/** A sentence with this share of the question needs no others beside it. */
const enough = 0.5

/** What the sentence beside the best one is worth more, because it continues it. */
const besideBonus = 0.4

/** @param ranked the best first */
export function chooseStatements(ranked: readonly RankedPassage[]): Choice[] {
  const [first] = ranked
  if (first === undefined) return []
  const choices: Choice[] = []
  for (const passage of ranked) {
    const most = characters[choices.length]
    if (most === undefined || passage.score < first.score - near) break
    const statements = chooseFrom(passage, most)
    if (statements.length > 0) choices.push({ passage, statements })
  }
  return choices
}

function chooseFrom({ statements }: RankedPassage, most: number): RankedStatement[] {
  const [best] = statements.toSorted((one, other) => other.score - one.score)
  if (best === undefined) return []
  const worthiest = statements
    .map((one) => ({ one, worth: worthOf(one, best) }))
    .sort((one, other) => other.worth - one.worth)
  const chosen = new Map<number, RankedStatement>()
  for (const one of paragraphOf(best, statements)) chosen.set(one.position, one)
  let length = lengthOf([...chosen.values()])
  for (const { one, worth } of worthiest) {
    if (chosen.size >= maxStatements || worth < statementShare) break
    const answer = answerOf(one, statements).filter(({ position }) => !chosen.has(position))
    const more = lengthOf(answer)
    if (answer.length === 0 || (chosen.size > 0 && length + more > most)) continue
    for (const each of answer) chosen.set(each.position, each)
    length += more
  }
  const inOrder = [...chosen.values()].sort((one, other) => one.position - other.position)
  return inOrder.flatMap((one) => withReferent(one, statements, chosen))
}

/**
 * The paragraph of a sentence that may not be the answer itself, or the whole passage, if it is short:
 * the answer may be the sentence beside, and people read a paragraph more easily.
 */
function paragraphOf(
  best: RankedStatement,
  statements: readonly RankedStatement[],
): readonly RankedStatement[] {
  if (best.own >= enough || best.statement.head !== '') return []
  const paragraph = statements.filter(({ statement }) => statement.block === best.statement.block)
  const isWhole = statements.every(({ statement }) => statement.head === '')
  const quoted = isWhole && lengthOf(statements) <= maxParagraph ? statements : paragraph
  return lengthOf(quoted) <= maxParagraph ? quoted.filter((one) => !announces(one)) : []
}

function lengthOf(statements: readonly RankedStatement[]): number {
  return statements.reduce((sum, { statement }) => sum + statement.text.length, 0)
}

/** A statement after the one that it refers to, if that one is not quoted already. */
function withReferent(
  one: RankedStatement,
  statements: readonly RankedStatement[],
  chosen: ReadonlyMap<number, RankedStatement>,
): RankedStatement[] {
  const before = statements[one.position - 1]
  if (before === undefined || chosen.has(before.position)) return [one]
  if (before.statement.block !== one.statement.block) return [one]
  const refers = one.statement.head === '' && pointsBack.test(one.statement.text)
  return refers && !announces(before) ? [before, one] : [one]
}

function worthOf(one: RankedStatement, best: RankedStatement): number {
  if (one === best) return Number.MAX_VALUE
  const isBesideRow = one.statement.head !== '' && one.statement.head === best.statement.head
  // Every row of a table is under the same headings.
  const share = isBesideRow ? ratio(one.own, best.own) : ratio(one.score, best.score)
  return share + (isContext(one, best) ? besideBonus / Math.abs(one.position - best.position) : 0)
}

function ratio(one: number, other: number): number {
  return other === 0 ? 0 : one / other
}

function isContext(one: RankedStatement, best: RankedStatement): boolean {
  if (one.statement.block !== best.statement.block || one.statement.head !== '') return false
  const [earlier, later] = one.position < best.position ? [one, best] : [best, one]
  if (later.position === earlier.position + 1 && pointsBack.test(later.statement.text)) return true
  if (one.hasNumber && !best.hasNumber) return true
  return best.own < enough && (one.own > 0 || one.hasNumber)
}

/** The beginning of a sentence that nobody understands without the one before. */
const pointsBack =
  /^(?:it|its|they|their|them|this|that|these|those|he|she|then|there|otherwise|after (?:that|this)|both|er|sie|es|dies|diese[rs]?|das|dann|danach|sonst)\b/i

/** `Ports | 4 × 1 Gbit/s`, `Flat white 3.80 EUR`: what it says is on the line itself. */
const saysValue = /[|\t]|\d[.,:]\d/

/** Questions, headings and lines that end in a colon announce an answer but are none. */
function announces(one: RankedStatement): boolean {
  if (isHeading(one)) return true
  const { statement, words } = one
  const { text } = statement
  if (saysValue.test(text)) return false
  return words.length <= 6 && !/[.!。！…)"”'’`|\d]$/.test(text) && /^\p{L}/u.test(text)
}

function isHeading({ statement: { text } }: RankedStatement): boolean {
  return /[?？:：]$/.test(text) || text.startsWith('#')
}

function isBeside(one: RankedStatement, other: RankedStatement): boolean {
  return (
    one.statement.block === other.statement.block && one.statement.head === other.statement.head
  )
}

/**
 * A statement, or what it announces. `Sun closed` between other lines may announce the next line or be
 * the answer, so both are quoted.
 */
function answerOf(one: RankedStatement, statements: readonly RankedStatement[]): RankedStatement[] {
  if (!announces(one)) return [one]
  const answer = statements.find((other) => other.position > one.position && !announces(other))
  if (answer === undefined) return []
  const isNext = answer.position === one.position + 1 && isBeside(one, answer)
  return isNext && !isHeading(one) ? [one, answer] : [answer]
}
