import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import {
  actorOf,
  describeInstance,
  type TestInstance,
  type Person,
} from '#test/support/test-instance.ts'
import { setUpCreditTurns, outcomeOf, type CreditTurns } from '#test/support/chat/credit-turns.ts'
import { findOperation } from '#operations/catalogue.ts'
import { faultMessage } from '#operations/fault-wording.ts'
import { runOperation } from '#operations/run-operation.ts'

describeInstance('operations on credits', (open) => {
  let instance: TestInstance
  let spending: CreditTurns
  beforeAll(async () => {
    instance = await open({ PLAN_CREDITS: 'free=2' })
    spending = await setUpCreditTurns(instance)
  })

  const call = (person: Person, name: string, input: object = {}) =>
    runOperation(instance.ctx, actorOf(person), findOperation(name)!, input)
  const refusal = (running: Promise<unknown>) =>
    running.then(
      () => 'done',
      (error: unknown) => (error instanceof Fault ? faultMessage(error) : Promise.reject(error)),
    )

  test('get_credits shows the balance, reserved and used credits, and the end of the month', async () => {
    const person = await instance.person({ plan: 'free' })
    await spending.run(person, 500_000, 250_000)
    const running = await spending.turn(person)
    await running.holdForModel({ promptTokens: 0, completionTokens: 100_000 })
    expect(await call(person, 'get_credits')).toEqual({
      balance: 1.75,
      shared: 0,
      reserved: 0.1,
      included: 2,
      used_this_month: 0.25,
      month_ends_at: '2026-02-01T00:00:00.000Z',
    })
    await running.release()
    expect(await call(await instance.person(), 'get_credits')).toMatchObject({
      balance: null,
      included: null,
    })
  })

  test('get_subscription shows the limits, and null without a paid subscription', async () => {
    const person = await instance.person({ plan: 'free' })
    expect(await call(person, 'get_subscription')).toMatchObject({
      plan: 'free',
      max_members: 1,
      payment: null,
    })
  })

  describe('list_credit_transactions', () => {
    test('lists newest first, page by page, by kind and by time', async () => {
      const person = await instance.person({ plan: 'free' })
      for (const used of [10, 20, 30]) {
        await spending.run(person, used, used, { endUser: `user of ${used}` })
        instance.advance(60_000)
      }
      const list = async (input: object) => {
        const { items, next_cursor } = await call(person, 'list_credit_transactions', input)
        // A list of entries.
        const entries = items as { kind: string; credits: number; end_user: string | null }[]
        return { next_cursor, shown: entries.map((one) => [one.kind, one.credits, one.end_user]) }
      }
      const turns = [30, 20, 10].map((used) => ['turn', -used / 1_000_000, `user of ${used}`])
      const first = await list({ kind: 'turn', limit: 2 })
      expect(first.shown).toEqual(turns.slice(0, 2))
      const second = await list({ kind: 'turn', limit: 2, cursor: first.next_cursor })
      expect(second).toEqual({ next_cursor: null, shown: turns.slice(2) })
      expect((await list({})).shown).toHaveLength(4)
      expect((await list({ kind: 'grant' })).shown).toEqual([['grant', 2, null]])
      const since = new Date(instance.ctx.clock.now() - 150_000).toISOString()
      const until = new Date(instance.ctx.clock.now() - 60_000).toISOString()
      expect((await list({ from: since })).shown).toEqual(turns.slice(0, 2))
      expect((await list({ from: since, to: until })).shown).toEqual(turns.slice(1, 2))
    })
  })

  describe('caps', () => {
    test('are set, listed page by page, and removed', async () => {
      const person = await instance.person()
      const agent = await createAgent(instance.ctx, person, { name: 'Capped' })
      const caps = [
        { subject: 'agent', subject_id: agent.id, period: 'day', credits: 0.5 },
        { subject: 'end_user', subject_id: '*', period: 'day', credits: 0.1 },
        { subject: 'workspace', subject_id: null, period: 'month', credits: 12.345678 },
      ]
      for (const { subject_id, ...cap } of caps) {
        const named = subject_id === null ? {} : { subject_id }
        expect(await call(person, 'set_credit_cap', { ...cap, ...named })).toEqual({
          ...cap,
          subject_id,
        })
      }
      const page = await call(person, 'list_credit_caps', { limit: 2 })
      expect(page.items).toEqual(caps.slice(0, 2))
      const rest = await call(person, 'list_credit_caps', { limit: 2, cursor: page.next_cursor })
      expect(rest).toEqual({ items: caps.slice(2), next_cursor: null })
      await call(person, 'set_credit_cap', { subject: 'workspace', period: 'month', credits: null })
      expect(await call(person, 'list_credit_caps')).toMatchObject({ items: caps.slice(0, 2) })
    })

    test('need a subject, and an admin', async () => {
      const person = await instance.person()
      const set = (who: Person, input: object) =>
        refusal(call(who, 'set_credit_cap', { period: 'day', credits: 1, ...input }))
      expect(await set(person, { subject: 'agent' })).toContain('subject_id')
      expect(await set(person, { subject: 'workspace', subject_id: 'x' })).toContain('subject_id')
      expect(await set(person, { subject: 'workspace', credits: -1 })).toContain('credits')
      expect(await set(person, { subject: 'workspace', credits: 1e-7 })).toContain(
        'at least 0.000001',
      )
      expect(await set(person, { subject: 'key', subject_id: newId() })).toContain('no such record')
      const editor = await instance.person()
      await instance.join(editor, person.workspaceId, 'editor')
      const elsewhere = { subject: 'workspace', workspace_id: person.workspaceId }
      expect(await set(editor, elsewhere)).toContain('this needs admin')
    })
  })

  describe('operators', () => {
    test('set prices that apply to all workspaces and that others cannot see or set', async () => {
      const customer = await instance.person()
      const price = { model: 'openai/gpt-x', prompt_credits: 1.5, completion_credits: 6 }
      expect(await refusal(call(customer, 'set_model_price', price))).toContain(
        'operators of this instance',
      )
      expect(await outcomeOf(call(customer, 'list_model_prices'))).toBe('operator_required')
      const shown = {
        ...price,
        cached_credits: null,
        call_credits: 0,
        valid_from: new Date(instance.ctx.clock.now()).toISOString(),
      }
      expect(await call(spending.operator, 'set_model_price', price)).toEqual(shown)
      const { items } = await call(spending.operator, 'list_model_prices')
      expect(items).toContainEqual(shown)
      await call(spending.operator, 'set_model_price', { model: 'openai/gpt-x', remove: true })
      const after = await call(spending.operator, 'list_model_prices')
      expect(after.items).not.toContainEqual(shown)
      const odd = call(spending.operator, 'set_model_price', { model: 'no model' })
      expect(await refusal(odd)).toContain('model must be')
    })

    test('grant credits to any workspace; owners of other workspaces cannot', async () => {
      const customer = await instance.person({ plan: 'free' })
      const grant = { to_workspace_id: customer.workspaceId, credits: 3, idempotency_key: 'once' }
      expect(await outcomeOf(call(customer, 'grant_credits', grant))).toBe('operator_required')
      expect(await call(spending.operator, 'grant_credits', grant)).toEqual({
        booked: true,
        balance: 5,
      })
      expect(await call(spending.operator, 'grant_credits', grant)).toMatchObject({ booked: false })
      const back = { to_workspace_id: customer.workspaceId, credits: -1, note: 'a mistake' }
      expect(await call(spending.operator, 'grant_credits', back)).toMatchObject({ balance: 4 })
      const nowhere = call(spending.operator, 'grant_credits', {
        ...grant,
        to_workspace_id: newId(),
      })
      expect(await outcomeOf(nowhere)).toBe('record_not_found')
    })
  })

  test('only operators can assign a plan above that of new workspaces', async () => {
    const customer = await instance.person()
    expect(await call(customer, 'set_plan', { plan: 'free' })).toMatchObject({ plan: 'free' })
    expect(await call(customer, 'set_plan', { plan: 'builder' })).toMatchObject({ plan: 'builder' })
    const more = { plan: 'studio' }
    expect(await outcomeOf(call(customer, 'set_plan', more))).toBe('operator_required')
    const given = { ...more, to_workspace_id: customer.workspaceId }
    expect(await outcomeOf(call(customer, 'assign_plan', given))).toBe('operator_required')
    await call(spending.operator, 'assign_plan', given)
    expect(await call(customer, 'get_subscription')).toMatchObject(more)
    const nowhere = call(spending.operator, 'assign_plan', { ...given, to_workspace_id: newId() })
    expect(await outcomeOf(nowhere)).toBe('record_not_found')
  })

  test('buying returns an error if nothing is sold', async () => {
    const person = await instance.person()
    expect(await refusal(call(person, 'start_checkout', { plan: 'studio' }))).toContain(
      'not for sale',
    )
    expect(await refusal(call(person, 'start_checkout', {}))).toContain('either plan or credits')
    expect(await refusal(call(person, 'open_billing_portal'))).toContain('not for sale')
  })
})
