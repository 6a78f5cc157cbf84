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
