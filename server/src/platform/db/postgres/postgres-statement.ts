import { randomBytes } from 'node:crypto'
import type { QueryResult } from 'kysely'
import type { ClientBase } from 'pg'
import { bindable } from '#platform/db/parameters.ts'
import { postgresFault } from './postgres-errors.ts'
import { noteDuration } from '#platform/db/slow-statements.ts'

const sessionNames = new WeakMap<object, string>()

/**
 * A prefix for the statements that a connection prepares. PostgreSQL keeps them apart by connection,
 * but a pooler in front of it may share one server session among connections.
 */
export function sessionName(connection: object): string {
  const name = sessionNames.get(connection) ?? `parley_${randomBytes(5).toString('hex')}`
  sessionNames.set(connection, name)
  return name
}

const maxNamed = 1_000
const numbers = new Map<string, number>()

/** The server caches the plan of a named statement; beyond the bound, statements stay unnamed. */
function nameOf(client: ClientBase, sql: string): string | undefined {
  const known = numbers.get(sql)
  if (known === undefined && numbers.size >= maxNamed) return undefined
  const number = known ?? numbers.size
  if (known === undefined) numbers.set(sql, number)
  return `${sessionName(client)}_${number}`
}

const changing: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/**
 * @param isNamed whether the server keeps the plan of the statement; behind a transaction pooler, the
 *   next statement may reach a server session that does not have it
 * @throws Fault unique_violation or database_unavailable, so that no caller needs SQLSTATE codes
 */
export async function runStatement<R>(
  client: ClientBase,
  sql: string,
  parameters: readonly unknown[],
  isNamed: boolean,
): Promise<QueryResult<R>> {
  const values = bindable(parameters)
  const name = isNamed ? nameOf(client, sql) : undefined
  const began = performance.now()
  try {
    const { rows, rowCount, command } = await client.query(
      name === undefined ? { text: sql, values } : { text: sql, values, name },
    )
    return changing.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
  } catch (error) {
    throw postgresFault(error)
  } finally {
    noteDuration(sql, began)
  }
}
