import { describe, expect, test } from 'vitest'
import { cleansUp } from '#test/support/parley-process.ts'
import {
  healthDuring,
  healthOfBusyServer,
  startAttacked,
  type Answered,
} from '#test/support/attacked-service.ts'

cleansUp()

const measuredMs = 6_000

/**
 * 50 ms where the machine has nothing else to do: a server that is merely busy then needs about 6 ms.
 * Other work on the machine delays both.
 */
const tolerated = (busyServerMs: number) => Math.max(50, 8 * busyServerMs)

function words(count: number): string {
  return Array.from({ length: count }, (_, at) => `w${at.toString(36)}`).join(' ')
}

describe('four callers with the largest inputs that are allowed', () => {
  test('stop no other request', { timeout: 120_000 }, async () => {
    const service = await startAttacked()
    const { agent, parley } = service
    const chat = (content: string) =>
      JSON.stringify({ model: agent.app_name_id, messages: [{ role: 'user', content }] })
    const csv = (lines: string) => JSON.stringify({ app_id: agent.id, csv: lines })
    const manyWords = chat(words(550_000))
    const manyLines = csv(`name,price_amount\n${'a,1\n'.repeat(800_000)}`)
    const manyValues = `{"name":"x","suggestions":[${'{},'.repeat(200_000)}0]}`
    const manyProducts = csv(
      `name,price_amount,sku\n${Array.from({ length: 5000 }, (_, at) => `P${at},1,s${at}`).join('\n')}`,
    )
    const attacks: readonly (() => Promise<Answered>)[] = [
      () => service.chat(manyWords),
      () => service.operation('import_products', manyLines),
      () => service.operation('create_app', manyValues),
      () => service.operation('import_products', manyProducts),
    ]
    // Loads what only the first request loads.
    const statuses = await Promise.all(attacks.map(async (attack) => (await attack()).status))
    expect(statuses).toEqual([200, 422, 422, 200])
    const busyServerMs = await healthOfBusyServer(4_000)
    await service.longestTurnMs()

    const over = new AbortController()
    const callers = attacks.map(async (attack) => {
      let tries = 0
      for (; !over.signal.aborted; tries += 1) await attack()
      return tries
    })
    const busyMs = await healthDuring(parley, measuredMs)
    over.abort()
    const tries = await Promise.all(callers)

    expect(await service.longestTurnMs()).toBeLessThan(80)
    expect(tries.every((count) => count > 0)).toBe(true)
    expect(busyMs).toBeLessThan(tolerated(busyServerMs))
  })
})

test('JSON nested 100,000 deep is refused at every surface', { timeout: 120_000 }, async () => {
  const service = await startAttacked()
  const { agent } = service
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${deep}}`
  const answers = await Promise.all([
    service.chat(deep),
    service.chat(`{"model":"${agent.app_name_id}","messages":${deep}}`),
    service.operation('import_app', `{"document":${deep}}`),
    service.operation('import_app', `{"document":{"agent":${deep}}}`),
    service.operation('create_app', `{"name":${deep}}`),
    service.mcp(message),
    service.post('/mcp/oauth/register', deep.slice(50_000, 80_000)),
    service.post('/mcp/oauth/token', `{"code":${'['.repeat(30_000)}`),
    service.post(`/acp/${agent.id}/checkout_sessions`, deep),
    service.post(`/api/dashboard/agents/${agent.id}/chat`, deep),
    service.post('/hooks/payments/test', deep),
  ])
  for (const { status, body } of answers) {
    expect(status, body).toBeGreaterThanOrEqual(400)
    expect(status, body).toBeLessThan(500)
  }
  const inString = JSON.stringify({ app_id: agent.id, openapi: deep })
  expect((await service.operation('import_custom_actions', inString)).status).toBe(422)
})
