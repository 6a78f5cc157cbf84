import { Client } from 'pg'
import {
  postgresAbsence,
  startPostgres,
} from '../../server/test/support/databases/embedded-postgres.ts'
import { cpuSecondsOfFamily, parentOf } from '../chat/cpu-time.ts'

/** A durable PostgreSQL for the time of a bench. */
export interface BenchPostgres {
  /** Creates an empty database and returns its address. */
  newDatabase(): Promise<string>
  /** CPU seconds of the server with all its processes. */
  cpu(): Promise<number>
  stop(): Promise<void>
}

/**
 * @param launch variables of the server
 * @returns a sentence if there is no PostgreSQL for this machine
 */
export async function startBenchPostgres(
  launch: Readonly<Record<string, string>> = {},
): Promise<BenchPostgres | string> {
  const absence = postgresAbsence()
  if (absence !== null) return absence
  const server = await startPostgres({ durable: true, environment: launch })
  const pid = await withClient(server.url, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    return await parentOf(String(rows[0]?.pid))
  })
  let databases = 0
  return {
    async newDatabase() {
      const name = `bench_${++databases}`
      await withClient(server.url, (client) => client.query(`create database ${name}`))
      const url = new URL(server.url)
      url.pathname = `/${name}`
      return url.href
    },
    cpu: () => cpuSecondsOfFamily(pid),
    stop: server.stop,
  }
}

async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
