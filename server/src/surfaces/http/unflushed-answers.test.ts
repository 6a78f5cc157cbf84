import { expect, test } from 'vitest'
import type { Caller } from '#platform/db/caller.ts'
import type { Database } from '#platform/db/database.ts'
import { appOf } from '#test/support/identity/sign-in-service.ts'
import { describeInstance } from '#test/support/test-instance.ts'

// Decision 32: outside `db.answer`, an answer could show a commit that a power cut takes back.
describeInstance('every request', (open) => {
  test.each([
    ['GET', '/readyz'],
    ['GET', '/login'],
    ['POST', '/api/v1/chat/completions'],
    ['POST', '/api/v1/chat/feedback'],
    ['POST', '/mcp'],
    ['GET', '/nowhere'],
  ])('%s %s is answered in db.answer', async (method, path) => {
    const instance = await open()
    const { ctx } = instance
    let answers = 0
    const answer: Database['answer'] = (code) => {
      answers += 1
      return ctx.db.answer(code)
    }
    const app = appOf({ ctx: { ...ctx, db: { ...ctx.db, answer } } })
    await app.request(new URL(path, ctx.config.baseUrl).href, { method })
    expect(answers).toBe(1)
  })

  test('is the caller of its long reads, which end when its client disconnects', async () => {
    const instance = await open()
    const { ctx } = instance
    const callers: Caller[] = []
    const forCaller: Database['forCaller'] = (caller, code) => {
      callers.push(caller)
      return ctx.db.forCaller(caller, code)
    }
    const app = appOf({ ctx: { ...ctx, db: { ...ctx.db, forCaller } } })
    const client = new AbortController()
    const request = new Request(new URL('/readyz', ctx.config.baseUrl), { signal: client.signal })
    await app.request(request)
    const [caller] = callers
    expect(callers).toMatchObject([{ isBackground: false }])
    expect(caller?.signal().aborted).toBe(false)
    client.abort()
    expect(caller?.signal().aborted).toBe(true)
  })
})
