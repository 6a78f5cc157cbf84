import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import { freePort } from '#test/support/free-port.ts'

export interface VectorPostgres {
  readonly url: string
  stop(): Promise<void>
}

/**
 * PostgreSQL with pgvector: PGlite behind its socket, the only build on npm. All connections share
 * one session, so it is unsuitable for race tests.
 */
export async function startVectorPostgres(): Promise<VectorPostgres> {
  const db = await PGlite.create({ extensions: { vector } })
  keepPacketsWhole(db)
  const port = await freePort()
  const server = new PGLiteSocketServer({ db, port, host: '127.0.0.1', maxConnections: 20 })
  await server.start()
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres?sslmode=disable`,
    async stop() {
      await server.stop()
      await db.close()
    },
  }
}

/** Parse, Bind, Describe, Execute, Close: the server's work for them ends with a Sync. */
const beforeSync = 'PBDEC'

/**
 * The socket runs the messages of all connections in turns, one at a time, and lets the others wait only
 * within a transaction. The messages of another connection would take the portal of a packet that begins
 * one, so a packet counts as a transaction.
 */
function keepPacketsWhole(db: PGlite): void {
  let isWithinPacket = false
  const execute = db.execProtocolRawStream.bind(db)
  db.execProtocolRawStream = async (message, options) => {
    isWithinPacket = beforeSync.includes(String.fromCharCode(message[0] ?? 0))
    await execute(message, options)
  }
  const isInTransaction = db.isInTransaction.bind(db)
  db.isInTransaction = () => isWithinPacket || isInTransaction()
}
