import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Database } from '#platform/db/database.ts'
import { describeEngines } from '#test/support/engines.ts'
import { startModelServer } from '#test/support/model-server.ts'
import { cleansUp, parley, startParley, type Environment } from '#test/support/parley-process.ts'
import { makeCaller, Traffic, type Acknowledged } from './chat-traffic.ts'
import { serviceEnvironment } from './service-environment.ts'
import { expectAllStored } from './stored-turns.ts'

const rounds = Number(process.env.FAULT_ROUNDS ?? 10)
const capCredits = 0.02

/** A million credits for a million tokens would be a credit each: here one token is one micro. */
async function limit(environment: Environment): Promise<void> {
  const call = async (operation: string, input: object) => {
    const { code, stderr } = await parley(['call', operation, JSON.stringify(input)], environment)
    if (code !== 0) throw new Error(stderr)
  }
  const price = { prompt_credits: 1, completion_credits: 1 }
  await call('set_model_price', { model: 'openai/*', ...price })
  const cap = { subject: 'workspace', period: 'month', credits: capCredits }
  await call('set_credit_cap', cap)
}

/** The ledger and what is stored say the same, and what is counted is the sum of the ledger. */
async function expectTrueLedger(db: Database): Promise<number> {
  const answers = await db.scan
    .selectFrom('chat_messages')
    .select(['id', 'prompt_tokens', 'completion_tokens'])
    .where('role', '=', 'assistant')
    .execute()
  const entries = await db.scan.selectFrom('credit_entries').selectAll().execute()
  const turns = entries.filter(({ kind }) => kind === 'turn')
  const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id).toSorted()
  expect(ids(turns), 'each answer has its entry, and each entry its answer').toEqual(ids(answers))
  const cost = new Map(turns.map(({ id, amount_micros }) => [id, 0 - amount_micros]))
  for (const { id, prompt_tokens, completion_tokens } of answers)
    expect(cost.get(id), id).toBe((prompt_tokens ?? 0) + (completion_tokens ?? 0))
  const sum = entries.reduce((total, { amount_micros }) => total + amount_micros, 0)
  const used = turns.reduce((total, { amount_micros }) => total - amount_micros, 0)
  const windows = await db.scan.selectFrom('credit_windows').selectAll().execute()
  for (const { period, limit_micros, used_micros } of windows)
    if (period === 'balance') expect(limit_micros - used_micros, 'the balance').toBe(sum)
    else expect(used_micros, 'what the cap counts').toBe(used)
  expect(used).toBeLessThanOrEqual(capCredits * 1_000_000)
  return used
}

async function heldNow(db: Database): Promise<number> {
  const rows = await db.read
    .selectFrom('credit_reservations')
    .select('amount_micros')
    .where('expires_at', '>', Date.now())
    .execute()
  return rows.reduce((total, { amount_micros }) => total + amount_micros, 0)
}

describeEngines('the ledger under kill -9', (engine) => {
  cleansUp()

  test(
    `${rounds} times: balances are the sum of entries, no turn is without its entry, and nothing stays held`,
    { timeout: 180_000 + rounds * 15_000 },
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
      let broken = 0
      let everHeld = 0
      const showsNothing = () => broken === 0 || everHeld === 0
      for (let round = 0; round < rounds || (showsNothing() && round < rounds + 10); round++) {
        const service = await startParley(environment)
        const traffic = new Traffic(service.baseUrl, caller, 8)
        // More rounds, and longer ones, where no kill has hit a turn that held anything yet: on a busy
        // machine none may have begun so soon.
        await sleep((150 + Math.random() * 300) * Math.max(1, round - rounds + 2))
        service.signal('SIGKILL')
        await service.finished
        await traffic.stop()
        acknowledged.push(...traffic.acknowledged)
        broken += traffic.broken
        // What killed turns hold counts until it lapses: then, and at the cap, turns are refused.
        expect([...traffic.refusals.keys()].filter((status) => status !== 402)).toEqual([])
        await expectAllStored(db, acknowledged)
        await expectTrueLedger(db)
        everHeld += await heldNow(db)
      }
      expect(showsNothing(), 'no kill hit a turn that held anything').toBe(false)
      for (let waited = 0; (await heldNow(db)) > 0; waited += 1) {
        expect(waited, 'seconds until what was held is free').toBeLessThan(65)
        await sleep(1_000)
      }
      const service = await startParley(environment)
      const used = await useUp(service.baseUrl, caller, db)
      // Less is left than one turn may need: nothing leaked.
      expect(capCredits * 1_000_000 - used).toBeLessThan(400)
      service.signal('SIGTERM')
      await service.finished
      await model.stop()
    },
  )
})

/** Has turns run until the cap refuses one that runs alone. */
async function useUp(
  baseUrl: string,
  caller: { readonly model: string; readonly key: string },
  db: Database,
): Promise<number> {
  const address = `${baseUrl.replace('localhost', '127.0.0.1')}/api/v1/chat/completions`
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
