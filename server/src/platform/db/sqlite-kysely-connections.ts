import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { GroupCommit } from './group-commit.ts'
import { retryWhileBusy } from './retry-while-busy.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { assertInside, refuseInsideUnit, strayRead } from './unit.ts'

/** The reader as Kysely sees it. */
export class ReadConnection implements DatabaseConnection {
  private readonly connection: SqliteConnection

  constructor(connection: SqliteConnection) {
    this.connection = connection
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    return await this.run(sql, parameters)
  }

  async run<R>(sql: string, parameters: readonly unknown[]): Promise<QueryResult<R>> {
    refuseInsideUnit(strayRead)
    return await retryWhileBusy(() => this.connection.run<R>(sql, parameters))
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    refuseInsideUnit(strayRead)
    yield* this.connection.iterate<R>(query)
  }
}

/** The writer as Kysely sees it: only the unit whose turn it is reaches the connection. */
export class UnitConnection implements DatabaseConnection {
  private readonly connection: SqliteConnection
  private readonly commits: () => GroupCommit

  constructor(connection: SqliteConnection, commits: () => GroupCommit) {
    this.connection = connection
    this.commits = commits
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    return this.run(sql, parameters)
  }

  run<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    const unit = this.commits().current
    assertInside(unit)
    try {
      return this.connection.run<R>(sql, parameters)
    } catch (error) {
      unit.failure ??= { error }
      throw error
    }
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query)
  }
}
