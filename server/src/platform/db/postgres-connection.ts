import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { PoolClient } from 'pg'
import { checkParameters } from './parameters.ts'
import { toFault } from './postgres-errors.ts'

const mostNamed = 1_000
const names = new Map<string, string>()

/** A name makes the server keep the plan of a statement; unbounded variety stays unnamed. */
function nameOf(sql: string): string | undefined {
  const known = names.get(sql)
  if (known !== undefined || names.size >= mostNamed) return known
  const name = `parley_${names.size}`
  names.set(sql, name)
  return name
}

const changing = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/** One pooled PostgreSQL connection as Kysely sees it. */
export class PostgresConnection implements DatabaseConnection {
  readonly client: PoolClient

  constructor(client: PoolClient) {
    this.client = client
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    checkParameters(parameters)
    const name = nameOf(sql)
    const query = { text: sql, values: [...parameters], ...(name === undefined ? {} : { name }) }
    try {
      const { rows, rowCount, command } = await this.client.query(query)
      return changing.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
    } catch (error) {
      throw toFault(error)
    }
  }

  /** Exports page by key on PostgreSQL: a cursor would need a library of its own. */
  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query)
  }
}
