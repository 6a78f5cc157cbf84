import { z } from 'zod'
import { analyseInSlices } from '#features/text-analysis/index.ts'
import { defineJob, type JobRun } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import { readContent } from './message-content-store.ts'
import { pagesOf } from './pages-of.ts'
import {
  addDocuments,
  mergeSome,
  removeAllDocuments,
  removeDocuments,
  type ConversationTerms,
} from './indexed-document-store.ts'
import { readMessagesToIndex, sessionExists, type MessageToIndex } from './search-index-store.ts'
import { moveWatermark, readWatermark, resetWatermark } from './watermark-store.ts'

/**
 * Newer messages are left to the next run. A message gets its time before it is committed, so an
 * older message may appear after a newer one. No write takes this long, and no two clocks differ by
 * this much.
 */
export const settlingMs = 2 * 60_000

/** The most messages that one unit indexes. */
const messagesPerUnit = 500

/** Distinct terms of one document; a conversation with more becomes several documents. */
const termsPerDocument = 5_000

type IndexContext = Pick<Context, 'db' | 'clock' | 'log'>

/**
 * Adds the messages since the last run to the search index of conversations, so that no turn has
 * to. A unit adds documents and moves the watermark past them.
 */
export const indexConversations = defineJob({
  kind: 'conversations.index',
  input: z.object({}),
  everyMs: 60_000,
  maxAtOnce: 1,
  async run(ctx: IndexContext, _input: unknown, { signal }: Pick<JobRun, 'signal'>) {
    await indexSettled(ctx, signal)
    // What was deleted since the last run, too.
    await mergeIndex(ctx, signal)
  },
})

const progressEveryMs = 5_000

/** Indexes all messages older than `settlingMs`, unless the signal aborts. */
export async function indexSettled(ctx: IndexContext, signal?: AbortSignal): Promise<void> {
  const { db, clock, log } = ctx
  let reportedAt = clock.now()
  let from = await readWatermark(db.read, 'conversation_search')
  const wanted = { since: from.reached_at, until: clock.now() - settlingMs }
  // Checks with a short read first, so that an idle service does not start a reader
  // process every minute.
  if ((await readMessagesToIndex(db.read, { ...wanted, limit: 1 })).length === 0) return
  const read = (page: typeof wanted) => readMessagesToIndex(db.scan, page)
  for await (const { rows, end } of pagesOf(read, wanted, messagesPerUnit)) {
    if (signal?.aborted === true) return
    const documents = await documentsOf(db, rows)
    const beganAt = from.began_at ?? rows[0]?.created_at ?? end
    const isDone = await db.write(async (tx) => {
      if (!(await moveWatermark(tx, from, { reachedAt: end, beganAt }))) return false
      await addDocuments(tx, db, documents)
      return true
    })
    // Another process indexed these first, or rows were deleted: the next run continues from there.
    if (!isDone) return
    await mergeIndex(ctx, signal)
    from = { ...from, reached_at: end, began_at: beganAt }
    if (clock.now() - reportedAt < progressEveryMs) continue
    reportedAt = clock.now()
    const percent = Math.floor((100 * (end - beganAt)) / Math.max(1, wanted.until - beganAt))
    log.info({ percent, until: new Date(end).toISOString() }, 'indexing conversations for search')
  }
}

async function mergeIndex({ db }: Pick<Context, 'db'>, signal?: AbortSignal): Promise<void> {
  if (db.engine !== 'sqlite') return
  for (;;) {
    if (signal?.aborted === true) return
    if (!(await db.write(mergeSome))) return
  }
}

/** The terms of each conversation, in several documents if there are many. */
async function documentsOf(
  db: ScannedDatabase,
  messages: readonly MessageToIndex[],
): Promise<ConversationTerms[]> {
  const documents: ConversationTerms[] = []
  for (const [sessionId, said] of Map.groupBy(messages, ({ session_id: id }) => id)) {
    const agentNumber = said[0]?.number ?? 0
    const found = noTerms()
    for (const message of said) await addTerms(found, db, message)
    documents.push(...divided({ sessionId, agentNumber }, found))
  }
  return documents
}

interface Terms {
  readonly all: Set<string>
  /** Those of the first message. */
  readonly opening: Set<string>
}

const noTerms = (): Terms => ({ all: new Set(), opening: new Set() })

/** How much of the first message can be found by the beginnings of its words. */
const openingLength = 2_000

type ScannedDatabase = Pick<Database, 'engine' | 'scan'>

async function addTerms(
  terms: Terms,
  { engine, scan }: ScannedDatabase,
  message: MessageToIndex,
): Promise<void> {
  const text = await readContent(scan, message)
  await analyseInSlices(text, terms.all)
  // The index of SQLite finds the beginnings of all words.
  if (message.seq === 1 && engine === 'postgres')
    await analyseInSlices(text.slice(0, openingLength), terms.opening)
}

function divided(
  of: Pick<ConversationTerms, 'sessionId' | 'agentNumber'>,
  { all, opening }: Terms,
): ConversationTerms[] {
  const terms = [...all]
  const documents: ConversationTerms[] = []
  for (let at = 0; at < terms.length; at += termsPerDocument)
    documents.push({
      ...of,
      terms: terms.slice(at, at + termsPerDocument),
      opening: at === 0 ? [...opening] : [],
    })
  return documents
}

/**
 * Indexes one conversation again, after the content of a message was deleted. It finds no words of the
 * conversation until then.
 */
export const reindexConversation = defineJob({
  kind: 'conversations.reindex',
  input: z.object({ sessionId: z.string() }),
  maxAtOnce: 1,
  async run({ db }: Pick<Context, 'db'>, { sessionId }): Promise<void> {
    // `indexConversations` may index newer messages meanwhile: then they belong to this job as well.
    for (;;) {
      const { reached_at: until } = await readWatermark(db.read, 'conversation_search')
      const documents = await documentsOfOne(db, sessionId, until)
      const isDone = await db.write(async (tx) => {
        if ((await readWatermark(tx, 'conversation_search')).reached_at !== until) return false
        await removeDocuments(tx, db.engine, [sessionId])
        if (await sessionExists(tx, sessionId)) await addDocuments(tx, db, documents)
        return true
      })
      if (isDone) return
    }
  },
})

/**
 * A step: removes the words of a conversation from the index and has those indexed again that are left.
 * The caller must call `raiseGenerations` for a job that is reading its messages.
 */
export async function renewTerms(
  tx: Tx,
  { db, jobs }: Pick<Context, 'db' | 'jobs'>,
  { workspaceId, sessionId }: { readonly workspaceId: string; readonly sessionId: string },
): Promise<void> {
  await removeDocuments(tx, db.engine, [sessionId])
  await jobs.enqueue(tx, reindexConversation, { sessionId }, { key: sessionId, workspaceId })
}

async function documentsOfOne(
  db: ScannedDatabase,
  sessionId: string,
  until: number,
): Promise<ConversationTerms[]> {
  const found = noTerms()
  let agentNumber = 0
  const read = (page: { since: number; until: number }) =>
    readMessagesToIndex(db.scan, { ...page, sessionId })
  for await (const { rows } of pagesOf(read, { since: 0, until }, messagesPerUnit))
    for (const message of rows) {
      agentNumber = message.number
      await addTerms(found, db, message)
    }
  return divided({ sessionId, agentNumber }, found)
}

/**
 * Makes the job index all conversations again, for a database that was restored without its index.
 */
export async function reindexConversations({ db }: Pick<Context, 'db'>): Promise<void> {
  await db.write(async (tx) => {
    await removeAllDocuments(tx, db.engine)
    await resetWatermark(tx, 'conversation_search')
  })
}
