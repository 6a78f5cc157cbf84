import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Limits } from '#platform/limits/limits.ts'
import { operations } from '#operations/catalogue.ts'
import { heapAfterCollection } from '#test/support/processes/heap.ts'
import {
  appOf,
  baseUrl,
  describeSignIn,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'
import { tried } from '#test/support/tried.ts'
import { createTenant, type Tenant } from '#test/tenancy/tenant.ts'
import { countRows } from './count-rows.ts'
import { fuzzEntries } from './fuzz-entries.ts'
import { acceptedMessages } from './fuzz-visitors.ts'
import { openFuzzed, type FuzzedService } from './fuzzed-service.ts'
import type { Entry } from './fuzz-entry.ts'
import type { Payload } from './mutations.ts'

/** Requests per entry. A long run: `FUZZ_RUNS=500 npm test -- server/test/security/fuzz.test.ts`. */
const runs = Number(process.env.FUZZ_RUNS ?? '3')
/** Times as many for addresses, which have many parts, and whose requests are short. */
const addressRuns = 8
/** The same requests in every `npm test`; others in every long run. */
const defaultSeed = process.env.FUZZ_RUNS === undefined ? 1 : Date.now()
const seed = Number(process.env.FUZZ_SEED ?? defaultSeed)
/** A request that hangs. Other work on the machine may delay one that does not. */
const requestTimeoutMs = 60_000
/** CPU time of this process, whatever else the machine does. */
const maxCpuMs = 2_000
/** How often each accepted request is sent again, to see whether it leaves memory behind. */
const acceptedRounds = 10
const testTimeoutMs = 60_000 * Math.max(1, runs)

/**
 * Rows that a request may add that is refused or only reads: each of these tables has a bound of its own.
 * The visits of a widget that were accepted before are counted after their answers.
 */
const countsRefusals = ['audit_events', 'rate_limits', 'widget_loads', 'windows']

/** An authorization begins with a link. Those of an address are limited, and end after some minutes. */
const countsReads = [...countsRefusals, 'authorization_requests']

/** The limits have tests of their own; here they would refuse what is to be tried. */
const noLimits: Limits = {
  consume: async () => unlimited,
  consumeInBlocks: async () => unlimited,
  peek: async () => unlimited,
  giveBack: async () => undefined,
}
const unlimited = { allowed: true, remaining: 1e9, retryAfterSeconds: 1, resetsAt: 0 }

/** So many visitors write that each message needs a proof. */
const underPressure: Limits = {
  ...noLimits,
  consumeInBlocks: async (key) => ({ ...unlimited, allowed: !key.startsWith('visitors:') }),
}

describeSignIn('generated requests', (open) => {
  let fuzzed: FuzzedService
  let service: SignInService
  let tenant: Tenant
  let entries: readonly Entry[]
  let tries = 0
  const refused: { readonly entry: Entry; readonly payload: Payload }[] = []
  const accepted: { readonly entry: Entry; readonly payload: Payload }[] = []

  beforeAll(async () => {
    fuzzed = await openFuzzed(open)
    service = fuzzed.service
    tenant = await createTenant(service, 'fuzzed')
    entries = await fuzzEntries(fuzzed, tenant)
  })
  afterAll(() => fuzzed.stop())

  const apps = new Map<Limits, ReturnType<typeof appOf>>()
  const app = (limits: Limits) => {
    const made = apps.get(limits) ?? appOf({ ctx: { ...service.ctx, limits } })
    apps.set(limits, made)
    return made
  }

  test('reach every route', () => {
    const names = service.app.routes
      // What runs before a route is no route.
      .filter(({ path }) => !path.endsWith('/*'))
      .map(({ path }) => path.replace('/acp/v1/', '/acp/').replace('/:appId/v1/', '/:appId/'))
    const known = new Set(['/mcp/:end{$}', ...entries.map(({ route }) => route)])
    expect([...new Set(names)].filter((name) => !known.has(name))).toEqual([])
  })

  async function send(entry: Entry, payload: Payload) {
    const { name, path, headers, sign, at = baseUrl } = entry
    const limits = entry.underPressure === true ? underPressure : noLimits
    const { body, type, encoding, method = 'POST' } = payload
    const init = {
      method,
      headers: {
        ...headers,
        ...payload.headers,
        ...sign?.(body),
        ...(type === null ? {} : { 'content-type': Buffer.from(type).toString('latin1') }),
        ...(encoding === null ? {} : { 'content-encoding': encoding }),
      },
      ...(method === 'POST' && {
        body: typeof body === 'string' ? Buffer.from(body) : Buffer.from(body),
      }),
    }
    const answer = async () => {
      const response = await app(limits).request(`${at}${payload.path ?? path}`, init)
      return { status: response.status, text: await response.text() }
    }
    const sent = `${payload.path ?? ''} ${JSON.stringify(payload.headers ?? {})} ${String(body)}`
    const shown = `${name} (${type}, ${encoding}): ${sent.slice(0, 600)}`
    const before = process.cpuUsage()
    const got = await Promise.race([answer(), deadline(shown)])
    const { user, system } = process.cpuUsage(before)
    const cpuMs = (user + system) / 1000
    if (cpuMs > maxCpuMs) throw new Error(`${cpuMs} ms of CPU for ${shown}`)
    return got
  }

  const deadline = (shown: string) =>
    new Promise<never>((_, reject) => {
      const fail = () => reject(new Error(`no answer in time for ${shown}`))
      setTimeout(fail, requestTimeoutMs).unref()
    })

  function isFailure({ needsOthers }: Entry, { status, text }: { status: number; text: string }) {
    if (status >= 502 && status <= 504) return needsOthers !== true
    return status >= 500 || text.includes('"code":-32603')
  }

  const isRefusal = ({ status, text }: { status: number; text: string }) =>
    status >= 400 || text.includes('"isError":true') || /"error":\{"code":-/.test(text)

  const surfaces = ['operation', 'tool', 'form', '/', 'address', 'other'] as const
  const kindOf = ({ name }: Entry) => surfaces.find((one) => name.startsWith(one)) ?? 'other'

  describe.each(surfaces)('to entries of kind %s', (kind) => {
    test(
      'cause no error of the service and get an answer in time',
      { timeout: testTimeoutMs },
      async (context) => {
        const before = tries
        for (const [n, entry] of entries.entries()) {
          if (kindOf(entry) !== kind) continue
          await fc.assert(
            fc.asyncProperty(entry.payloads, async (payload) => {
              tries += 1
              const answer = await send(entry, payload)
              if (isFailure(entry, answer))
                throw new Error(
                  `${entry.name} answered ${answer.status}: ${answer.text.slice(0, 500)}`,
                )
              const outcome = isRefusal(answer) ? refused : accepted
              outcome.push({ entry, payload })
            }),
            {
              numRuns: kind === 'address' ? runs * addressRuns : runs,
              seed: seed + n,
              endOnFailure: true,
            },
          )
        }
        expect(tries).toBeGreaterThan(before)
        tried(context, tries - before)
      },
    )
  })

  test('are accepted where they should be: a visitor’s file, and the captcha of a message', () => {
    const names = new Set(accepted.map(({ entry }) => entry.name))
    for (const name of Object.values(acceptedMessages)) expect([...names]).toContain(name)
  })

  const reads = () =>
    accepted.filter(({ payload: { method } }) => method === 'GET' || method === 'HEAD')

  test('that only read leave no row behind', { timeout: testTimeoutMs }, async (context) => {
    expect(reads().length).toBeGreaterThan(100)
    const before = await countRows(service.ctx.db, countsReads)
    for (const { entry, payload } of reads()) await send(entry, payload)
    expect(await countRows(service.ctx.db, countsReads)).toEqual(before)
    tried(context, reads().length)
  })

  test('that are refused leave no row behind', { timeout: testTimeoutMs }, async (context) => {
    expect(refused.length).toBeGreaterThan(0)
    const before = await countRows(service.ctx.db, countsRefusals)
    let later = 0
    for (const { entry, payload } of refused) if (!isRefusal(await send(entry, payload))) later += 1
    expect(later).toBe(0)
    expect(await countRows(service.ctx.db, countsRefusals)).toEqual(before)
    tried(context, refused.length)
  })

  test.for(['refused', 'accepted'] as const)(
    'that are %s leave no memory behind',
    { timeout: testTimeoutMs },
    async (which, context) => {
      // Few bodies are accepted, so they are sent many times.
      const bodies = accepted.filter(({ entry }) => kindOf(entry) !== 'address')
      const sample =
        which === 'refused'
          ? refused.filter((_, n) => n % 3 === 0)
          : Array.from({ length: acceptedRounds }, () => bodies)
              .flat()
              .concat(reads().filter((_, n) => n % 5 === 0))
      expect(sample.length).toBeGreaterThan(100)
      const sendAll = async () => {
        for (const { entry, payload } of sample) await send(entry, payload)
      }
      // What is loaded once, and caches with a bound, are filled before.
      await sendAll()
      const before = heapAfterCollection()
      await sendAll()
      expect(heapAfterCollection() - before).toBeLessThan(8 * 1024 * 1024)
      tried(context, sample.length)
    },
  )

  test('cover every operation', () => {
    const names = new Set(entries.map(({ name }) => name.replace(/^\w+ /, '')))
    const missing = operations.filter(
      ({ name, surfaces }) => surfaces.some((one) => one !== 'cli') && !names.has(name),
    )
    expect(missing.map(({ name }) => name)).toEqual([])
  })
})
