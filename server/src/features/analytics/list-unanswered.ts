import { requireAgent } from '#features/agents/index.ts'
import { CpuSlice } from '#kernel/cpu-slice.ts'
import { dayMs } from '#kernel/durations.ts'
import type { Context } from '#platform/context.ts'
import { questionKey } from './group-questions.ts'
import { likenQuestions } from './similar-questions.ts'
import { questionText } from './tally.ts'
import { listAnswered, readUnanswered, type UnansweredRow } from './unanswered-store.ts'

/** Wordings of one question that the agent's knowledge had no answer to. */
export interface UnansweredQuestion {
  /** The latest wording, as the user wrote it. */
  readonly question: string
  readonly count: number
  /** Further wordings, latest first. */
  readonly others: readonly string[]
  readonly lastAskedAt: number
  /** The conversation of the latest wording. */
  readonly sessionId: string
}

interface UnansweredQuery {
  readonly appId: string
  readonly days: number
  readonly limit: number
  /** Whether questions of test conversations are listed too. */
  readonly includeTests: boolean
}

/** The most further wordings of a question. */
const maxOthers = 4

/**
 * The questions of the last days to which the knowledge had no answer, the most frequent first. Those
 * that an editor has answered since are left out.
 *
 * @throws Fault record_not_found
 */
export async function listUnanswered(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  { appId, days, limit, includeTests }: UnansweredQuery,
): Promise<UnansweredQuestion[]> {
  const agent = await requireAgent(db.read, workspaceId, appId)
  const since = clock.now() - days * dayMs
  const wanted = { agentId: agent.id, since, includeTests }
  const rows = await readUnanswered(db.report, db.engine, wanted)
  const answers = await listAnswered(db.read, agent.id)
  const groups = await groupByWords(rows, answers)
  const found = await joinAlike(groups, answers.slice(0, mostAnswers))
  return found.toSorted((one, other) => other.count - one.count).slice(0, limit)
}

type Group = UnansweredQuestion & { count: number; readonly others: string[] }

type Answers = Awaited<ReturnType<typeof listAnswered>>

/** The most recent answers that similar questions are compared with. */
const mostAnswers = 200

/** Those with the same words are one question, which an answer with these words answers for good. */
async function groupByWords(
  rows: readonly UnansweredRow[],
  answers: Answers,
): Promise<Map<string, Group>> {
  const answered = new Set(answers.map(({ title }) => questionKey(questionText(title))))
  const groups = new Map<string, Group>()
  const slice = new CpuSlice()
  for (const { question, asked_at: askedAt, session_id: sessionId } of rows) {
    if (slice.isOver) await slice.next()
    const wording = (question ?? '').trim()
    const key = questionKey(questionText(wording))
    if (key === '' || answered.has(key)) continue
    const group = groups.get(key)
    if (group === undefined)
      groups.set(key, { question: wording, count: 1, others: [], lastAskedAt: askedAt, sessionId })
    else addTo(group, [wording], 1)
  }
  return groups
}

/**
 * Joins the groups whose words mean the same. Those that are like an answered question are left out
 * if nobody asked since it was answered: the answer may not fit them.
 */
async function joinAlike(groups: ReadonlyMap<string, Group>, answers: Answers): Promise<Group[]> {
  const asked = [...groups.values()].toSorted((one, other) => other.count - one.count)
  const titles = [...answers.map(({ title }) => title), ...asked.map(({ question }) => question)]
  const likes = await likenQuestions(titles.map((title) => questionText(title)))
  const joined = new Map<number, Group>()
  for (const [index, group] of asked.entries()) {
    const like = likes[answers.length + index] ?? answers.length + index
    const answer = answers[like]
    if (answer !== undefined && group.lastAskedAt < answer.updated_at) continue
    const before = joined.get(like)
    joined.set(like, before === undefined ? group : join(before, group))
  }
  return [...joined.values()]
}

/** The latest wording is that of the whole group. */
function join(one: Group, other: Group): Group {
  const [latest, older] = one.lastAskedAt >= other.lastAskedAt ? [one, other] : [other, one]
  addTo(latest, [older.question, ...older.others], older.count)
  return latest
}

function addTo(group: Group, wordings: readonly string[], count: number): void {
  group.count += count
  for (const wording of wordings) {
    const isNew = wording !== group.question && !group.others.includes(wording)
    if (isNew && group.others.length < maxOthers) group.others.push(wording)
  }
}
