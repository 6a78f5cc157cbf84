import type { RankedPassage, RankedStatement } from './rank-passages.ts'

/** What an answer quotes of a passage, in reading order. */
export interface Choice {
  readonly passage: RankedPassage
  readonly statements: readonly RankedStatement[]
}

/**
 * The places that an answer quotes: a passage is quoted if it scores this share of the best one. The
 * statements of a place are no longer than `characters` together, unless the best one is.
 */
const places = [
  { share: 0, characters: 520 },
  { share: 0.7, characters: 400 },
  { share: 0.85, characters: 260 },
] as const

/** When a statement answers the whole question, other places must answer nearly as much of it. */
const whole = 0.9
const besideWhole = 0.9

const maxStatements = 4

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
  const isWhole = first.statements.some(({ own }) => own >= whole)
  const choices: Choice[] = []
  for (const passage of ranked) {
    const place = places[choices.length]
    if (place === undefined) break
    const share = isWhole && choices.length > 0 ? besideWhole : place.share
    if (passage.score < first.score * share) break
    const statements = chooseFrom(passage, place.characters)
    if (statements.length > 0) choices.push({ passage, statements })
  }
  return choices
}

function chooseFrom({ statements }: RankedPassage, characters: number): RankedStatement[] {
  const [best] = statements.toSorted((one, other) => other.score - one.score)
  if (best === undefined) return []
  const worthiest = statements
    .map((one) => ({ one, worth: worthOf(one, best) }))
    .sort((one, other) => other.worth - one.worth)
  const chosen = new Map<number, RankedStatement>()
  let length = 0
  for (const { one, worth } of worthiest) {
    if (chosen.size >= maxStatements || worth < statementShare) break
    const answer = announces(one) ? following(one, statements) : one
    if (answer === undefined || chosen.has(answer.position)) continue
    const { text } = answer.statement
    if (chosen.size > 0 && length + text.length > characters) continue
    chosen.set(answer.position, answer)
    length += text.length
  }
  const inOrder = [...chosen.values()].sort((one, other) => one.position - other.position)
  return inOrder.flatMap((one) => withReferent(one, statements, chosen))
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
  return best.own < enough && (one.own > 0 || one.hasNumber)
}

/** The beginning of a sentence that nobody understands without the one before. */
const pointsBack =
  /^(?:it|its|they|their|them|this|that|these|those|he|she|then|there|otherwise|after (?:that|this)|both|er|sie|es|dies|diese[rs]?|das|dann|danach|sonst)\b/i

/** Questions, headings and lines that end in a colon announce an answer but are none. */
function announces({ statement: { text }, words }: RankedStatement): boolean {
  if (/[?？:：]$/.test(text) || text.startsWith('#')) return true
  return words.length <= 6 && !/[.!。！…)"”'’`|\d]$/.test(text) && /^\p{L}/u.test(text)
}

function following(
  { position }: RankedStatement,
  statements: readonly RankedStatement[],
): RankedStatement | undefined {
  return statements.find((other) => other.position > position && !announces(other))
}
