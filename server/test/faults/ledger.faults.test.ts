import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Database } from '#platform/db/database.ts'
import { describeEngines } from '#test/support/databases/engines.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import { cleansUp, startParley, type Environment } from '#test/support/processes/parley-process.ts'
import { until } from '#test/support/until.ts'
import { callOperation } from './call-operation.ts'
import { makeCaller, Traffic, type Acknowledged } from './chat-traffic.ts'
import { kill, letTimePass } from './kill.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'
import { expectAllStored } from './stored-turns.ts'

const rounds = Number(process.env.FAULT_ROUNDS ?? 10)
const capCredits = 0.02

/** One token costs one micro. */
async function limit(environment: Environment): Promise<void> {
  const call = (operation: string, input: object) => callOperation(environment, operation, input)
  const price = { prompt_credits: 1, completion_credits: 1 }
  await call('set_model_price', { model: 'openai/*', ...price })
  const cap = { subject: 'workspace', period: 'month', credits: capCredits }
  await call('set_credit_cap', cap)
}

/**
 * Checks that the ledger matches the stored turns, and that the usage counters match the ledger.
 */
async function expectTrueLedger(db: Database): Promise<number> {
  // In one unit, for a consistent state.
  const { answers, entries, windows } = await db.write(async (tx) => ({
    answers: await tx
      .selectFrom('chat_messages')
      .select(['id', 'prompt_tokens', 'completion_tokens'])
      .where('role', '=', 'assistant')
      .execute(),
    entries: await tx.selectFrom('credit_entries').selectAll().execute(),
    windows: await tx.selectFrom('credit_windows').selectAll().execute(),
  }))
  const turns = entries.filter(({ kind }) => kind === 'turn')
  const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id).toSorted()
  expect(ids(turns), 'each answer has its entry, and each entry its answer').toEqual(ids(answers))
  const cost = new Map(turns.map(({ id, amount_micros }) => [id, 0 - amount_micros]))
  for (const { id, prompt_tokens, completion_tokens } of answers)
    expect(cost.get(id), id).toBe((prompt_tokens ?? 0) + (completion_tokens ?? 0))
  const sum = entries.reduce((total, { amount_micros }) => total + amount_micros, 0)
  const used = turns.reduce((total, { amount_micros }) => total - amount_micros, 0)
  for (const { period, limit_micros, used_micros } of windows)
    if (period === 'balance') expect(limit_micros - used_micros, 'the balance').toBe(sum)
    else expect(used_micros, 'the usage of the cap').toBe(used)
  expect(used).toBeLessThanOrEqual(capCredits * 1_000_000)
  return used
}

async function heldNow(db: Database, at = Date.now()): Promise<number> {
  const rows = await db.read
    .selectFrom('credit_reservations')
    .select('amount_micros')
    .where('expires_at', '>', at)
    .execute()
  return rows.reduce((total, { amount_micros }) => total + amount_micros, 0)
}

describeEngines('the ledger under kill -9', (engine) => {
  cleansUp()

  test(
    `${rounds} times: balances are the sum of entries, every turn has its entry, and no hold remains`,
    { timeout: 600_000 + rounds * 15_000 },
    async () => {
      const model = await startModelServer({
        record: false,
        script: (_, n) => ({ reply: ['one ', 'two ', 'three.'], firstByteMs: n % 40, chunkMs: 5 }),
      })
      const environment = {
        ...serviceEnvironment(engine.settings(), model),
        PLAN_CREDITS: 'builder=1',
        CREDIT_OUTPUT_TOKENS: '50',
      }
      const caller = await makeCaller(environment)
      await limit(environment)
      const db = engine.database()
      const acknowledged: Acknowledged[] = []
      let [everHeld, failed, healthyAfterMs] = [0, 0, 0]
      for (let round = 0; round < rounds; round++) {
        const startedAt = performance.now()
        const service = await startParley(environment)
        const traffic = new Traffic(service.origin, caller, 8)
        const isAtCap = () => traffic.refusals.has(402)
        await until('turns are answered', () => traffic.acknowledged.length > 0 || isAtCap())
        healthyAfterMs = Math.max(healthyAfterMs, performance.now() - startedAt)
        await sleep(Math.random() * 400)
        // A turn that waits for its model holds its maximum cost. At the cap there is none.
        await until('a turn waits for its model', () => model.answering() > 0 || isAtCap())
        await kill(service, db)
        await traffic.stop()
        acknowledged.push(...traffic.acknowledged)
        failed += traffic.broken
        // Holds of killed turns count until they expire. Because of them or of the cap, turns are
        // refused.
        expect([...traffic.refusals.keys()].filter((status) => status !== 402)).toEqual([])
        await expectAllStored(db, acknowledged)
        await expectTrueLedger(db)
        everHeld += await heldNow(db)
      }
      expect(everHeld, 'the holds of killed turns').toBeGreaterThan(0)
      expect(await heldNow(db, Date.now() + 60_000), 'the holds a minute later').toBe(0)
      await letTimePass(db)
      const service = await startParley(environment)
      const used = await useUp(service.origin, caller, db)
      const fault = 'kill -9 under load with credits: every turn is charged once'
      const tries = acknowledged.length + failed
      recordFault({ fault, engine: engine.name, tries, lost: 0, failed, healthyAfterMs })
      // Less is left than one turn may need, so nothing leaked.
      expect(capCredits * 1_000_000 - used).toBeLessThan(400)
      service.signal('SIGTERM')
      await service.finished
      await model.stop()
    },
  )
})

/** Runs turns until the cap refuses a turn that runs alone. */
async function useUp(
  origin: string,
  caller: { readonly model: string; readonly key: string },
  db: Database,
): Promise<number> {
  const address = `${origin}/api/v1/chat/completions`
  const ask = async () => {
    const response = await fetch(address, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: caller.model,
        messages: [{ role: 'user', content: 'Are you there?' }],
      }),
    })
    await response.arrayBuffer()
    return response.status
  }
  let atOnce = 16
  for (;;) {
    const statuses = new Set(await Promise.all(Array.from({ length: atOnce }, ask)))
    expect([200, 402]).toEqual(expect.arrayContaining([...statuses]))
    if (!statuses.has(402)) continue
    if (atOnce === 1) return await expectTrueLedger(db)
    atOnce = 1
  }
}
