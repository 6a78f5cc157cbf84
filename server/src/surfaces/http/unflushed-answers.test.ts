import { expect, test } from 'vitest'
import type { Database } from '#platform/db/database.ts'
import { appOf } from '#test/support/sign-in-service.ts'
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
})
