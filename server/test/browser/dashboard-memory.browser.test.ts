import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { summarizeSession } from '#features/turns/index.ts'
import type { JobQueue } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import {
  describeDashboard,
  expectSound,
  type DashboardService,
} from '#test/support/browser/dashboard.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'

const notes = [
  '- Ada runs a tea shop in Bern and wants 40 pots of green tea by Friday.',
  '- She pays by invoice; her discount is 5 %.',
  '- Still open: whether the delivery can come before nine.',
].join('\n')

const thoughts =
  'The customer asks about delivery.\n\nThe notes say that it must come before nine. I look at the days that are left.'

describeDashboard('memory and reasoning', (open) => {
  let service: DashboardService
  let app: string
  let conversation: string

  beforeAll(async () => {
    const models = await startModelServer({
      script: ({ body }) =>
        JSON.stringify(body).includes('You keep notes')
          ? { reply: notes, usage: { prompt: 300, completion: 60 } }
          : { reply: 'It comes on **Thursday**, before nine.', reasoning: thoughts },
    })
    service = await open({
      OPENAI_BASE_URL: models.baseUrl,
      OPENAI_API_KEY: 'sk-x',
      MAX_HISTORY_MESSAGES: '4',
    })
    const agent = await service.call('create_app', { name: 'Tea shop', model: 'openai/gpt-5.2' })
    app = `/agents/${String(agent.app_name_id)}`
    const { key } = await service.call('create_chat_key', { app_id: agent.id, name: 'Site' })
    await service.call('update_app', {
      app_id: agent.id,
      memory: 'summary',
      memory_model: 'openai/gpt-5-mini',
      store_reasoning: true,
    })
    let chatSessionId: string | undefined
    for (const content of [
      'I am Ada.',
      '40 pots by Friday.',
      'By invoice.',
      'When does it come?',
    ]) {
      const response = await fetch(`${service.baseUrl}/api/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${String(key)}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: agent.app_name_id,
          messages: [{ role: 'user', content }],
          chatSessionId,
          user: 'ada',
        }),
      })
      expect(response.status).toBe(200)
      chatSessionId = ((await response.json()) as { chatSessionId: string }).chatSessionId // Our field.
      await createJobRunner(service.ctx, service.ctx.jobs as JobQueue, [summarizeSession]).runDue() // As compose.ts creates it.
    }
    conversation = `${app}/analytics/conversations/${chatSessionId}`
  })

  const summaryOf = (page: Page) => page.getByText('The model reads this summary')
  const opened = async (page: Page) => {
    await summaryOf(page).click()
    await page.getByText('Reasoning of the model').last().click()
  }

  test('a conversation shows its summary, what it cost, and the reasoning', async () => {
    const page = await service.visit(conversation)
    await expect.poll(() => summaryOf(page).count()).toBe(1)
    // Nothing of it is open at first.
    expect(await page.getByText('Ada runs a tea shop').isVisible()).toBe(false)
    expect(await page.getByText('asks about delivery').first().isVisible()).toBe(false)
    await opened(page)
    await page.getByText('Ada runs a tea shop').waitFor()
    await page.getByText('openai/gpt-5-mini').waitFor()
    await page.getByText('asks about delivery').last().waitFor()
    await page.context().close()
  })

  test('the conversation is readable in both themes, wide and narrow', async () => {
    await expectSound(service, 'memory-conversation', conversation, opened)
  })

  test('the settings switch the memory off and on again', async () => {
    const path = `${app}/build`
    const page = await service.visit(path)
    const memory = page.getByRole('group', { name: 'Memory of long conversations' })
    const isOn = memory.getByRole('checkbox')
    expect(await isOn.isChecked()).toBe(true)
    expect(await memory.getByRole('textbox').inputValue()).toBe('openai/gpt-5-mini')
    await isOn.uncheck()
    expect(await memory.getByRole('textbox').count()).toBe(0)
    await isOn.check()
    await memory.getByRole('textbox').fill('local/extractive')
    await memory.getByText('The built-in model cannot write summaries').waitFor()
    await page.context().close()
  })

  test('the settings are readable in both themes, wide and narrow', async () => {
    await expectSound(service, 'memory-settings', `${app}/build`, (page) =>
      page.getByRole('group', { name: 'Memory of long conversations' }).waitFor(),
    )
  })
})
