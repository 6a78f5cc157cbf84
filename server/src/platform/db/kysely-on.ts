import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
} from 'kysely'
import type { Engine } from './database.ts'
import type { Schema } from './schema.ts'

/** Runs one compiled statement and reads all of its rows. */
export type Run = <R>(sql: string, parameters: readonly unknown[]) => Promise<QueryResult<R>>

const dialects: Readonly<Record<Engine, Omit<Dialect, 'createDriver'>>> = {
  sqlite: {
    createQueryCompiler: () => new NumberedSqliteCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  },
  postgres: {
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  },
}

/** Numbers the parameters, so that a prepared statement can use one in several places. */
class NumberedSqliteCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return `?${this.numParameters}`
  }
}

/** Kysely over a function that runs statements: with SQLite one after the other. */
export function kyselyOn(engine: Engine, run: Run): Kysely<Schema> {
  const createDriver = () => new StatementDriver(run)
  return new Kysely<Schema>({ dialect: { ...dialects[engine], createDriver } })
}

/** The same over a function that runs several statements of SQLite at the same time. */
export function kyselyOnProcesses(run: Run): Kysely<Schema> {
  const createDriver = () => new StatementDriver(run)
  const createAdapter = () => new ProcessesAdapter()
  return new Kysely<Schema>({ dialect: { ...dialects.sqlite, createAdapter, createDriver } })
}

/** Without it, Kysely holds back each statement until the one before has ended. */
class ProcessesAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class StatementDriver extends DummyDriver {
  private readonly connection: DatabaseConnection

  constructor(run: Run) {
    super()
    this.connection = {
      executeQuery: ({ sql, parameters }) => run(sql, parameters),
      streamQuery() {
        throw new Error('Statements are not streamed: page by key')
      },
    }
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return this.connection
  }

  /** Units of work begin and end outside Kysely. */
  override async beginTransaction(): Promise<never> {
    throw new Error('Use Database.write for a transaction')
  }
}
