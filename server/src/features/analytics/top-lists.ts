import { pagesOf } from '#features/conversations/index.ts'
import { dayMs } from '#kernel/durations.ts'
import type { Context } from '#platform/context.ts'
import { readMessages } from './counted-rows-store.ts'
import { groupQuestions } from './group-questions.ts'
import {
  listTitles,
  listTop,
  listTotals,
  type FiguresWanted,
  type ListName,
} from './figures-store.ts'
import { isWantedChannel, testChannel } from './channels.ts'
import { daySpan, startOfSpan } from './spans.ts'
import { Tally, type DayCount } from './tally.ts'

export interface TopLists {
  /** The questions that conversations began with, each in its most frequent wording, in lower case. */
  readonly topQuestions: readonly { readonly question: string; readonly conversations: number }[]
  /** The sources that answers cited; the title is null if the source was deleted. */
  readonly topSources: readonly {
    readonly sourceId: string
    readonly title: string | null
    readonly answers: number
  }[]
}

/** The length of each list. */
export const shown = 10
/** The most frequent wordings that are grouped into questions. */
const groupedWordings = 5000

/**
 * The most frequent questions and the most cited sources. Both are counted per day in UTC; the counts
 * of all days that the range touches are added up. They tell only test conversations from others: a
 * request for another channel gets the lists of all but tests.
 *
 * @param reachedAt rows before this moment are counted already
 */
export async function readTopLists(
  { db }: Pick<Context, 'db'>,
  range: FiguresWanted,
  reachedAt: number,
): Promise<TopLists> {
  const days = daysOf(range)
  const { source, includeTests } = range
  // As in the counts of whole days.
  const counted =
    source === testChannel
      ? { source, includeTests }
      : { includeTests: source === undefined && includeTests === true }
  const live = new Tally([])
  const { agentId, until: end } = days
  const wanted = { agentId, since: Math.max(days.since, reachedAt), until: end }
  for await (const { rows } of pagesOf((page) => readMessages(db.report, db.engine, page), wanted))
    for (const row of rows) if (isWantedChannel(counted, row.source)) live.countMessage(row)
  const wordings = await countsOf(db, 'questions', days, live.questions, groupedWordings)
  const questions = topOf(await groupQuestions(wordings))
  const sources = topOf(await countsOf(db, 'citations', days, live.citations, shown))
  const ids = sources.map(([id]) => id)
  const found = ids.length === 0 ? [] : await listTitles(db.read, agentId, ids)
  const titles = new Map(found.map(({ id, title }) => [id, title]))
  return {
    topQuestions: questions.map(([question, conversations]) => ({ question, conversations })),
    topSources: sources.map(([sourceId, answers]) => ({
      sourceId,
      title: titles.get(sourceId) ?? null,
      answers,
    })),
  }
}

/** The whole days (UTC) that a range touches. */
export function daysOf(range: FiguresWanted): FiguresWanted {
  return {
    ...range,
    since: startOfSpan(range.since, daySpan),
    until: startOfSpan(range.until - 1, daySpan) + dayMs,
  }
}

/**
 * The most frequent entries, and those to which uncounted rows add: no other entry can become one
 * of the most frequent.
 *
 * @returns pairs of what was counted and how often
 */
async function countsOf(
  db: Context['db'],
  list: ListName,
  days: FiguresWanted,
  live: ReadonlyMap<string, DayCount>,
  most: number,
): Promise<[string, number][]> {
  const counts = new Map<string, number>()
  const now = new Map<string, number>()
  for (const { what, count } of live.values()) now.set(what, (now.get(what) ?? 0) + count)
  for (const { what, count } of await listTop(db.report, list, days, most)) counts.set(what, count)
  for (const { what, count } of await listTotals(db.report, db.engine, list, days, [...now.keys()]))
    counts.set(what, count)
  for (const [what, count] of now) counts.set(what, (counts.get(what) ?? 0) + count)
  return [...counts].filter(([, count]) => count > 0)
}

function topOf(counts: readonly [string, number][]): [string, number][] {
  return counts
    .toSorted(([one, few], [other, many]) => many - few || inBytes(one, other))
    .slice(0, shown)
}

/** Ties are in byte order, as in both engines. */
export function inBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}
