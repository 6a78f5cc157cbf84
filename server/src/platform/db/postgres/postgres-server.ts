import type { Client } from 'pg'
import { withClient } from './postgres-driver.ts'

export interface PostgresServer {
  /** What is between us and the server. In session mode, a pooler changes nothing for us. */
  readonly pooler: 'none' | 'session' | 'transaction'
  /** Connections that the server grants this user at the same time, if nobody else has one. */
  readonly grantedConnections: number
}

/** Without queries of the service, the pooler hands the same server session to whoever comes next. */
const tries = 3

/** @throws Fault as `postgresFault` returns it */
export async function inspectServer(url: string): Promise<PostgresServer> {
  return await withClient({ connectionString: url }, async (client) => {
    const grantedConnections = await readGranted(client)
    // A pooler invents the number by which a client cancels its queries.
    if ((await sessionOf(client)) === announcedSession(client))
      return { pooler: 'none', grantedConnections }
    const isShared = await isSessionShared(url, client)
    return { pooler: isShared ? 'transaction' : 'session', grantedConnections }
  })
}

/**
 * Two clients of a server have two sessions. Behind a pooler in transaction mode, the second client
 * gets the session that the first one has just used, or the first one loses it.
 */
async function isSessionShared(url: string, first: Client): Promise<boolean> {
  return await withClient({ connectionString: url }, async (second) => {
    for (let n = 0; n < tries; n++) {
      const own = await sessionOf(first)
      await second.query('begin')
      const others = await sessionOf(second)
      const now = await sessionOf(first)
      await second.query('rollback')
      if (others === own || now !== own) return true
    }
    return false
  })
}

async function sessionOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid ?? 0
}

/** From the server's BackendKeyData message; the driver's published type omits it. */
function announcedSession(client: Client): unknown {
  return 'processID' in client ? client.processID : undefined
}

/** `reserved_connections` is new in PostgreSQL 16. A limit of -1 is none. */
const granted = `
  select least(
    current_setting('max_connections')::int
      - case when role.rolsuper then 0 else
          current_setting('superuser_reserved_connections')::int
          + coalesce(current_setting('reserved_connections', true)::int, 0) end,
    case when role.rolconnlimit < 0 or role.rolsuper then null else role.rolconnlimit end,
    case when base.datconnlimit < 0 or role.rolsuper then null else base.datconnlimit end
  ) as granted
  from pg_roles as role, pg_database as base
  where role.rolname = current_user and base.datname = current_database()`

async function readGranted(client: Client): Promise<number> {
  const { rows } = await client.query<{ granted: number }>(granted)
  return rows[0]?.granted ?? 0
}
