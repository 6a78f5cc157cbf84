import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import {
  actorOf,
  describeInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'
import { findOperation } from './catalogue.ts'
import { runOperation } from './run-operation.ts'

const folder = join(import.meta.dirname, '../../../dashboard/starts')
const files = readdirSync(folder)

describeInstance('the starts of new agents', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
  })

  test('are four documents', () => {
    expect(files).toEqual([
      'documentation.json',
      'internal-help.json',
      'shop.json',
      'support-desk.json',
    ])
  })

  test.each(files)(
    '%s is a document that import_app accepts as it is, with nothing left to set up',
    async (file) => {
      const document = JSON.parse(readFileSync(join(folder, file), 'utf8'))
      const importApp = findOperation('import_app')!
      const made = await runOperation(instance.ctx, actorOf(ada), importApp, { document })
      expect(made).toMatchObject({ name: document.agent.name, needs: [] })
      const getApp = findOperation('get_app')!
      const app_id = String(made.id)
      const agent = await runOperation(instance.ctx, actorOf(ada), getApp, { app_id })
      const { name, system_prompt, greeting, suggestions, temperature } = document.agent
      expect(agent).toMatchObject({ name, system_prompt, greeting, suggestions, temperature })
      expect(document.sample_questions.length).toBeGreaterThanOrEqual(5)
    },
  )

  test('offer their sample questions to visitors if they suggest nothing', async () => {
    const shop = JSON.parse(readFileSync(join(folder, 'shop.json'), 'utf8'))
    const long = 'x'.repeat(300)
    const many = Array.from({ length: 20 }, (_, n) => `Question ${n}?`)
    const document = {
      ...shop,
      agent: { ...shop.agent, suggestions: [] },
      sample_questions: [long, '  ', ...many],
    }
    const importApp = findOperation('import_app')!
    const made = await runOperation(instance.ctx, actorOf(ada), importApp, { document })
    const app = await runOperation(instance.ctx, actorOf(ada), findOperation('get_app')!, {
      app_id: made.id,
    })
    expect(app.suggestions).toEqual(many.slice(0, 10))
  })
})
