import { beforeAll, describe, expect, test } from 'vitest'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { openOrderShop } from '#test/support/commerce/order-shop.ts'
import { describeShop } from '#test/support/commerce/shop.ts'
import { actorOf, describeInstance, type TestInstance } from '#test/support/test-instance.ts'
import { inputFor } from '#test/support/operation-inputs.ts'
import { createRecords } from '#test/tenancy/create-records.ts'
import { operations } from './catalogue.ts'
import type { Operation } from './operation.ts'
import { runOperation } from './run-operation.ts'

const callers = 64
/** On a busy machine; an idle one needs a second. */
const boundMs = 30_000

const writing = operations.filter(({ hints }) => !hints.readOnly)
/** These need an order that was paid. */
const ofOrders = ['fulfill_order', 'refund_order', 'cancel_order']
const onRecords = writing.filter(({ name }) => !ofOrders.includes(name))

type Outcomes = readonly PromiseSettledResult<unknown>[]

/** Runs the calls together. */
async function together(calls: readonly (() => Promise<unknown>)[]): Promise<Outcomes> {
  const startedAt = performance.now()
  const outcomes = await Promise.allSettled(calls.map((call) => call()))
  expect(performance.now() - startedAt).toBeLessThan(boundMs)
  return outcomes
}

/** A call succeeds, or a rule of the operation refuses it. */
function expectRuled(outcomes: Outcomes): void {
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue
    expect(outcome.reason).toBeInstanceOf(Fault)
    expect(ofDatabase).not.toContain(outcome.reason.code)
  }
}

const ofDatabase = [commonFaults.database_unavailable.code, commonFaults.write_conflict.code]

describeInstance('64 callers at the same time, of two processes', (open) => {
  let processes: readonly TestInstance[]

  beforeAll(async () => {
    const first = await open({ DEFAULT_PLAN: 'enterprise' })
    processes = [first, await first.again()]
    // The first person is the operator.
    await first.person()
  })

  async function callTogether(operation: Operation, inputs: readonly object[]): Promise<Outcomes> {
    const [first] = processes
    if (first === undefined) throw new Error('the instances open in beforeAll')
    const person = await first.person()
    const given = inputFor(operation, await createRecords(first, person))
    const actor = actorOf(person, { surface: 'cli' })
    return await together(
      inputs.map((input, n) => () => {
        const { ctx } = processes[n % processes.length] ?? first
        return runOperation(ctx, actor, operation, { ...given, ...input })
      }),
    )
  }

  test.each(onRecords.map((one) => [one.name, one] as const))(
    '%s on the same records succeeds, or a rule of it refuses the call',
    async (_, operation) => {
      const same = Array.from({ length: callers }, () => ({}))
      expectRuled(await callTogether(operation, same))
    },
  )

  test.each([8, callers])('%i texts are added to one agent', async (count) => {
    const add = operations.find(({ name }) => name === 'add_knowledge_source')
    if (add === undefined) throw new Error('there is no such operation')
    const texts = Array.from({ length: count }, (_, n) => ({ text: `Text ${n}. `.repeat(200) }))
    const outcomes = await callTogether(add, texts)
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
  })
})

describeShop('64 callers at the same time, of one order', (open) => {
  test.each(ofOrders)('%s succeeds, or a rule of it refuses the call', async (name) => {
    const desk = await openOrderShop(open)
    const { id } = await desk.paid()
    expectRuled(
      await together(Array.from({ length: callers }, () => () => desk.call(name, { id }))),
    )
  })
})

describe('of the operations that write', () => {
  test('none is left out', () => {
    expect(writing.filter(({ name }) => ofOrders.includes(name))).toHaveLength(ofOrders.length)
    expect(writing.length).toBeGreaterThan(50)
  })
})
