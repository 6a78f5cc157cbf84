import {
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
} from 'kysely'
import type { Engine } from './database.ts'

const nothing = async (): Promise<void> => undefined

/**
 * A Kysely dialect over whatever gives a connection. Units of work begin and end outside Kysely, so
 * its own transactions are refused: `Database.write` is the only one.
 */
export function connectionDialect(
  engine: Engine,
  acquire: () => Promise<DatabaseConnection>,
  release: (connection: DatabaseConnection) => Promise<void> = nothing,
): Dialect {
  const driver: Driver = {
    init: nothing,
    acquireConnection: acquire,
    releaseConnection: release,
    beginTransaction: refuseTransaction,
    commitTransaction: refuseTransaction,
    rollbackTransaction: refuseTransaction,
    destroy: nothing,
  }
  if (engine === 'sqlite')
    return {
      createDriver: () => driver,
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createAdapter: () => new SqliteAdapter(),
      createIntrospector: (db) => new SqliteIntrospector(db),
    }
  return {
    createDriver: () => driver,
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  }
}

async function refuseTransaction(): Promise<never> {
  throw new Error('Transactions are units of Database.write')
}
