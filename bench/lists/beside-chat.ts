import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Config } from '../../server/src/config.ts'
import { rollUpAnalytics } from '../../server/src/features/analytics/index.ts'
import type { Context } from '../../server/src/platform/context.ts'
import type { DatabaseConfig } from '../../server/src/platform/db/open-database.ts'
import { runDay } from '../growth/day.ts'
import type { Place } from './fill.ts'

type Bench = Pick<Context, 'db' | 'clock' | 'log'> & { readonly config: Config }

export async function timed(title: string, run: () => Promise<unknown>): Promise<void> {
  const began = performance.now()
  await run()
  console.log(`${title.padEnd(64)} ${((performance.now() - began) / 1000).toFixed(1)} s`)
}

/** Turns are stored meanwhile, of another person and without a model, 20 ms apart. */
export async function besideChat(
  ctx: Bench,
  { workspaceId, agentId, userId }: Place,
  title: string,
  run: () => Promise<unknown>,
): Promise<void> {
  const agent = { workspaceId, agentId, userId, keyId: agentId }
  const took: number[] = []
  const over = new AbortController()
  const chat = async () => {
    while (!over.signal.aborted) {
      const began = performance.now()
      await runDay(ctx, [agent], { turns: 1, begunAt: Date.now(), seed: took.length })
      took.push(performance.now() - began)
      await sleep(20)
    }
  }
  const chats = chat()
  try {
    await timed(title, run)
  } finally {
    over.abort()
    await chats
  }
  console.log(`${took.length} turns meanwhile, p50 / p99 / most ms: ${shares(took, 0.5, 0.99, 1)}`)
}

export function shares(took: readonly number[], ...parts: readonly number[]): string {
  const sorted = Float64Array.from(took).sort()
  const at = (share: number) => (sorted[Math.ceil(sorted.length * share) - 1] ?? 0).toFixed(0)
  return parts.map(at).join(' / ')
}

/** bench/analytics.ts measures counting and the figures of analytics. */
export async function skipCounting({ db, clock }: Pick<Bench, 'db' | 'clock'>): Promise<void> {
  await setCounted(db, clock.now())
}

export async function setCounted(db: Bench['db'], reachedAt: number): Promise<void> {
  await db.write((tx) =>
    tx
      .updateTable('watermarks')
      .set({ reached_at: reachedAt })
      .where('name', '=', 'analytics')
      .execute(),
  )
}

const besideMs = 10_000

/** Turns beside the count of all messages, and beside a backup by a process of its own. */
export async function measureBeside(
  ctx: Bench,
  place: Place,
  { dataDir, databaseUrl }: DatabaseConfig,
): Promise<void> {
  await besideChat(ctx, place, 'nothing else for ten seconds', () => sleep(besideMs))
  await setCounted(ctx.db, 0)
  const run = { id: '', attempt: 1, isLast: false, signal: AbortSignal.timeout(besideMs) }
  await besideChat(ctx, place, 'counting all messages, for ten seconds', () =>
    rollUpAnalytics.run(ctx, {}, run),
  )
  await skipCounting(ctx)
  const file = join(tmpdir(), `parley-lists-backup-${process.pid}`)
  const secret = { SECRET_KEY: '5'.repeat(64) }
  const database = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl, ...secret }
  const env = { ...process.env, DATA_DIR: dataDir, ...database }
  const main = join(import.meta.dirname, '../../server/src/main.ts')
  try {
    await besideChat(ctx, place, 'a backup', () =>
      promisify(execFile)(process.execPath, [main, 'backup', file], { env }),
    )
  } finally {
    await rm(file, { force: true })
  }
}
