import { sql } from 'kysely'
import { describe, inject } from 'vitest'
import {
  beginLog,
  expireEvents,
  readHeads,
  sealEvents,
  type ChainHead,
} from '#features/audit/index.ts'
import { endOpenPartition } from '#features/audit/end-partitions.ts'
import { listPartitions } from '#features/audit/partition-store.ts'
import { dayMs } from '#kernel/durations.ts'
import { newId, timeOf } from '#kernel/ids.ts'
import { recordChange, verifyLog } from './audit-chain.ts'
import { dropDatabase, makeDatabase, type DatabaseSettings } from './databases/engines.ts'
import {
  defineOnInstances,
  type OpenInstance,
  type Person,
  type TestInstance,
} from './test-instance.ts'

export const monthMs = 31 * dayMs

/** Ids of one process stay in order, so the clock of a test begins where that of the one before ended. */
let elapsed = 0

/** The second day of a month after a time, and after all ids of this process. */
function nextMonth(now: number): number {
  const date = new Date(Math.max(now, timeOf(newId(0))))
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 2)
}

const environment: Readonly<Record<string, string>> = { AUDIT_RETENTION_DAYS: '60' }

export type PartitionedLog = ReturnType<typeof partitionedLog>

/** Tests of an audit log on PostgreSQL, whose partitions they begin and drop. */
export function describePartitions(title: string, define: (log: PartitionedLog) => void): void {
  describe.runIf(inject('engines').includes('postgres'))(title, () => {
    const opening = {
      next: undefined as DatabaseSettings | undefined,
      last: undefined as DatabaseSettings | undefined,
    }
    const make = async () => {
      opening.last = opening.next ?? (await makeDatabase('postgres'))
      return opening.last
    }
    defineOnInstances({ make, drop: dropDatabase }, (open) => define(partitionedLog(open, opening)))
  })
}

interface Opening {
  /** Opened instead of a new database. */
  next: DatabaseSettings | undefined
  last: DatabaseSettings | undefined
}

function partitionedLog(open: OpenInstance, opening: Opening) {
  let instance: TestInstance
  let ada: Person

  const pass = (ms: number) => {
    elapsed += ms
    instance.advance(ms)
  }

  const fresh = async (settings = environment) => {
    instance = await open(settings)
    instance.advance(elapsed)
    pass(nextMonth(instance.ctx.clock.now()) - instance.ctx.clock.now())
    ada = await instance.person()
    await beginLog(instance.ctx)
    await sql`update schema_migrations set applied_at = 0`.execute(instance.ctx.db.maintain)
  }

  const record = async (first: number, last: number, workspaceId?: string | null) => {
    for (let n = first; n <= last; n += 1) await recordChange(instance.ctx, ada, n, workspaceId)
    await sealEvents(instance.ctx)
  }

  /** A month with events of the instance and of the workspace, whose partition begins and ends with it. */
  const month = async (first: number, last: number) => {
    await endOpenPartition(instance.ctx)
    for (const chain of [null, undefined]) await record(first, last, chain)
    pass(monthMs)
  }

  const partitions = () => listPartitions(instance.ctx.db.read)
  const names = async () => (await partitions()).map(({ name }) => name.replace(/\d+_\d+/, 'M'))

  const targets = async (workspaceId: string | null = null) => {
    const rows = await instance.ctx.db.read
      .selectFrom('audit_events')
      .select(['action', 'target'])
      .where('workspace_id', workspaceId === null ? 'is' : '=', workspaceId)
      .orderBy('id')
      .execute()
    return rows.map(({ action, target }) => (action === 'change' ? target : action))
  }

  const expire = async () => {
    await expireEvents(instance.ctx)
    await sealEvents(instance.ctx)
  }

  const heads = () => Array.fromAsync(readHeads(instance.ctx, null))
  const problems = async (since: readonly ChainHead[] = []) =>
    (await verifyLog(instance.ctx, null, since)).problems

  /** Continues with the log of another database. */
  const openOther = async (settings: DatabaseSettings) => {
    opening.next = settings
    instance = await open(environment)
    opening.next = undefined
    instance.advance(elapsed)
  }

  return {
    get instance() {
      return instance
    },
    get ada() {
      return ada
    },
    get settings() {
      if (opening.last === undefined) throw new Error('no database is open')
      return opening.last
    },
    pass,
    fresh,
    openOther,
    record,
    month,
    partitions,
    names,
    targets,
    expire,
    heads,
    problems,
  }
}
