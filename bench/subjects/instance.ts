import { rm } from 'node:fs/promises'
import { openInstance } from '../../server/src/compose.ts'
import { readConfig } from '../../server/src/config.ts'
import { ensureOwner } from '../../server/src/features/identity/index.ts'
import type { Context } from '../../server/src/platform/context.ts'
import { createLogger } from '../../server/src/platform/log.ts'
import type { BenchEngine } from './engines.ts'
import { newDataDir, parleyEnvironment, startParley, type Parley } from './parley.ts'

export interface Author {
  readonly userId: string
  readonly workspaceId: string
}

/** A folder or database that the bench fills in its own process before a service runs on it. */
export interface BenchInstance {
  fill<T>(work: (ctx: Context, author: Author) => Promise<T>): Promise<T>
  /** @param launch variables of the service alone */
  start(launch?: Readonly<Record<string, string>>): Promise<Parley>
  remove(): Promise<void>
}

export async function newInstance(modelUrl: string, engine: BenchEngine): Promise<BenchInstance> {
  const dataDir = await newDataDir()
  const databaseUrl = engine.postgres === null ? null : await engine.postgres.newDatabase()
  const environment = parleyEnvironment({ modelUrl, databaseUrl }, dataDir)
  const config = readConfig({ ...environment, LOG_LEVEL: 'error' })
  let author: Author | null = null
  return {
    async fill(work) {
      const { ctx, close } = await openInstance(config, createLogger(config))
      try {
        author ??= await ensureOwner(ctx)
        if (author === null) throw new Error('the database is not empty')
        return await work(ctx, author)
      } finally {
        await close()
      }
    },
    start: (launch = {}) => startParley({ modelUrl, databaseUrl, dataDir, launch }),
    remove: () => rm(dataDir, { recursive: true, force: true }),
  }
}
