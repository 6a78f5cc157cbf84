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
})
