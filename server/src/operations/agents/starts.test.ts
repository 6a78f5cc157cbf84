import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import {
  actorOf,
  describeInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'

const folder = join(import.meta.dirname, '../../../../dashboard/starts')
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
    '%s is a document that import_app accepts as it is, with reading a website as its first step',
    async (file) => {
      const document = JSON.parse(readFileSync(join(folder, file), 'utf8'))
      const importApp = findOperation('import_app')!
      const made = await runOperation(instance.ctx, actorOf(ada), importApp, { document })
      expect(made).toMatchObject({
        name: document.agent.name,
        needs: [{ kind: 'knowledge_source', name: 'url' }],
      })
      expect(document.first_step).toEqual({ kind: 'url', crawl_depth: 2, max_pages: 100 })
      expect(JSON.stringify(made.needs)).toContain('crawl_depth 2 and max_pages 100')
      const getApp = findOperation('get_app')!
      const app_id = String(made.id)
      const agent = await runOperation(instance.ctx, actorOf(ada), getApp, { app_id })
      const { name, system_prompt, greeting, suggestions, temperature } = document.agent
      expect(agent).toMatchObject({ name, system_prompt, greeting, suggestions, temperature })
      expect(document.sample_questions.length).toBeGreaterThanOrEqual(5)
    },
  )

  test('ask for no website if the document names one', async () => {
    const shop = JSON.parse(readFileSync(join(folder, 'shop.json'), 'utf8'))
    const knowledge = [{ ...shop.first_step, url: 'https://tea.example' }]
    const importApp = findOperation('import_app')!
    const document = { ...shop, knowledge }
    const made = await runOperation(instance.ctx, actorOf(ada), importApp, { document })
    expect(made.needs).toEqual([])
  })

  test('are refused with a first step that reads more than a source may', async () => {
    const shop = JSON.parse(readFileSync(join(folder, 'shop.json'), 'utf8'))
    const document = { ...shop, first_step: { ...shop.first_step, crawl_depth: 11 } }
    const made = runOperation(instance.ctx, actorOf(ada), findOperation('import_app')!, {
      document,
    })
    await expect(made).rejects.toMatchObject({
      code: 'document_invalid',
      facts: { issues: [expect.stringContaining('first_step.crawl_depth')] },
    })
  })

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
