import type { SchemaStatus } from '#platform/db/plan-migrations.ts'
import { refuseLater } from '#platform/db/plan-migrations.ts'
import type { TableShape } from '#platform/db/row-source.ts'
import { MoveError, type MoveTable } from './move-sides.ts'

/**
 * Tables of one engine's search index. A move does not copy them: the service creates the other engine's
 * index from the rows. SQLite's virtual tables and pgvector's
 * `knowledge_vector_index` are no tables of a copy at all (sqlite-copy.ts, postgres-copy.ts).
 */
export const rebuiltTables: ReadonlySet<string> = new Set([
  'conversation_documents', // SQLite: which conversation a row of its full-text index is
  'conversation_terms', // PostgreSQL: the full-text index of conversations
  'knowledge_postings', // PostgreSQL: the full-text index from before segments
])

/** In the copy: from its next start on, the service indexes all conversations again. */
export const reindexConversations = `
  update watermarks set reached_at = 0, began_at = null, generation = generation + 1
  where name = 'conversation_search'`

/**
 * The tables to copy, in the order of their references.
 *
 * @throws MoveError when source and target do not have the same tables and columns
 */
export function tablesToMove(
  source: readonly MoveTable[],
  target: readonly TableShape[],
): MoveTable[] {
  const isMoved = ({ name }: TableShape) => !rebuiltTables.has(name)
  const targets = new Map(target.filter(isMoved).map((table) => [table.name, columnsOf(table)]))
  const moved = source.filter(isMoved)
  for (const table of moved) {
    if (targets.get(table.name) !== columnsOf(table)) throw differs(table.name)
    if (table.key.length === 0) throw new MoveError(`the table ${table.name} has no primary key`)
    targets.delete(table.name)
  }
  for (const name of targets.keys()) throw differs(name)
  return moved
}

function columnsOf({ columns }: TableShape): string {
  return columns.toSorted().join(' ')
}

function differs(name: string): MoveError {
  return new MoveError(
    `the table ${name} is not the same in source and target: remove what is not Parley's`,
  )
}

/** @throws SchemaError, MoveError when the source does not have the schema of this version */
export function refuseOtherSchema(status: SchemaStatus): void {
  refuseLater(status)
  const { current, newest, pending } = status
  if (pending.length > 0)
    throw new MoveError(
      `the source has schema ${current} of ${newest}: run \`parley migrate\` first`,
    )
}
