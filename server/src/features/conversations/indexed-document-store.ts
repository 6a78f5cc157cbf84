import { sql, type Kysely } from 'kysely'
import type { Database, Engine, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'
import { arrayOf, numbersOfAll, prefixed, type IndexedTerms } from './term-numbers.ts'

export interface ConversationTerms extends IndexedTerms {
  readonly sessionId: string
}

/** A step: adds the terms of conversations. */
export async function addDocuments(
  tx: Tx,
  db: Pick<Database, 'engine' | 'prepared'>,
  documents: readonly ConversationTerms[],
): Promise<void> {
  if (db.engine === 'postgres') for (const document of documents) await addNumbers(tx, document)
  else for (const texts of groupsOf(documents)) await addTexts(tx, db, texts)
}

interface DocumentText {
  readonly sessionId: string
  readonly terms: string
}

/** FTS5 writes this much in a millisecond or two. UTF-16 code units. */
const textAtOnce = 64 * 1024

/** Short documents together, each long one by itself. */
function groupsOf(documents: readonly ConversationTerms[]): DocumentText[][] {
  const groups: DocumentText[][] = []
  let left = 0
  for (const document of documents) {
    const text = { sessionId: document.sessionId, terms: prefixed(document).join(' ') }
    left -= text.terms.length
    const group = left < 0 ? undefined : groups.at(-1)
    if (group !== undefined) group.push(text)
    else {
      groups.push([text])
      left = textAtOnce - text.terms.length
    }
  }
  return groups
}

/**
 * First the rows of all documents, then their terms: when a statement on another table comes between
 * two documents, FTS5 writes what it has of the first one as a piece of its own. That took about
 * three times as long, for FTS5 alone, and the pieces had to be merged.
 */
async function addTexts(
  tx: Tx,
  { prepared }: Pick<Database, 'prepared'>,
  texts: readonly DocumentText[],
): Promise<void> {
  const [newest] = await prepared(newestDocument).within(tx, {})
  const first = (newest?.id ?? 0) + 1
  const rows = texts.map(({ sessionId }, at) => [first + at, sessionId])
  await prepared(insertDocuments).within(tx, { rows: JSON.stringify(rows) })
  for (const [at, { terms }] of texts.entries())
    await prepared(insertTerms).within(tx, { id: first + at, terms })
}

/** The largest id that a document has had: ids of deleted ones are not used again. */
const newestDocument = (db: Kysely<Schema>) =>
  sql<{ id: number }>`
    select max(
      coalesce((select seq from sqlite_sequence where name = 'conversation_documents'), 0),
      coalesce((select max(id) from conversation_documents), 0)
    ) as id
  `.compile(db)

const insertDocuments = (db: Kysely<Schema>, { rows }: { readonly rows: string }) =>
  sql<object>`
    insert into conversation_documents (id, session_id)
    select value ->> 0, value ->> 1 from json_each(${rows})
  `.compile(db)

const insertTerms = (
  db: Kysely<Schema>,
  { id, terms }: { readonly id: number; readonly terms: string },
) => db.insertInto('conversation_index').values({ rowid: id, terms })

/** A conversation is indexed each minute in which it continues: a later row has only its new words. */
async function addNumbers(tx: Tx, document: ConversationTerms): Promise<void> {
  const { sessionId } = document
  await sql`
    insert into conversation_terms (session_id, hashes)
    select ${sessionId}, hashes from (
      select array(
        select unnest(${arrayOf(numbersOfAll(document))})
        except select unnest(hashes) from conversation_terms where session_id = ${sessionId}
      ) as hashes
    ) as added
    where cardinality(hashes) > 0
  `.execute(tx)
}

/** A step: removes conversations from the index. */
export async function removeDocuments(
  tx: Tx,
  engine: Engine,
  sessionIds: readonly string[],
): Promise<void> {
  if (engine === 'postgres') {
    await tx.deleteFrom('conversation_terms').where('session_id', 'in', sessionIds).execute()
    return
  }
  const own = tx
    .selectFrom('conversation_documents')
    .select('id')
    .where('session_id', 'in', sessionIds)
  await tx.deleteFrom('conversation_index').where('rowid', 'in', own).execute()
  await tx.deleteFrom('conversation_documents').where('session_id', 'in', sessionIds).execute()
}

/** Pages of 4 KB that one unit merges. */
const mergedPages = 8

/**
 * A step, on SQLite: merges a part of the index, and drops what it keeps of deleted conversations. FTS5 would
 * otherwise do so within units that add or delete, at times for hundreds of milliseconds.
 *
 * @returns whether there is more to merge
 */
export async function mergeSome(tx: Tx): Promise<boolean> {
  const before = await countChanges(tx)
  await sql`
    insert into conversation_index (conversation_index, rank) values ('merge', ${sql.lit(mergedPages)})
  `.execute(tx)
  // The statement itself counts as one (FTS5, "The 'merge' Command").
  return (await countChanges(tx)) - before >= 2
}

async function countChanges(tx: Tx): Promise<number> {
  const { rows } = await sql<{ changes: number }>`select total_changes() as changes`.execute(tx)
  return rows[0]?.changes ?? 0
}

/** A step: empties the index. */
export async function removeAllDocuments(tx: Tx, engine: Engine): Promise<void> {
  if (engine === 'postgres') {
    await tx.deleteFrom('conversation_terms').execute()
    return
  }
  await tx.deleteFrom('conversation_index').execute()
  await tx.deleteFrom('conversation_documents').execute()
}
