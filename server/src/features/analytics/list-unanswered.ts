import { requireAgent } from '#features/agents/index.ts'
import { CpuSlice } from '#kernel/cpu-slice.ts'
import type { Context } from '#platform/context.ts'
import { questionKey } from './group-questions.ts'
import { questionText } from './tally.ts'
import { listAnsweredTitles, readUnanswered } from './unanswered-store.ts'

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

const dayMs = 24 * 60 * 60 * 1000

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
  const rows = await readUnanswered(db.report, agent.id, since, includeTests)
  const titles = await listAnsweredTitles(db.read, agent.id)
  const answered = new Set(titles.map((title) => questionKey(questionText(title))))
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
    else addTo(group, wording)
  }
  const found = [...groups.values()]
  return found.toSorted((one, other) => other.count - one.count).slice(0, limit)
}

type Group = UnansweredQuestion & { count: number; readonly others: string[] }

function addTo(group: Group, wording: string): void {
  group.count += 1
  const isNew = wording !== group.question && !group.others.includes(wording)
  if (isNew && group.others.length < maxOthers) group.others.push(wording)
}
