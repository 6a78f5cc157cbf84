import { beforeAll, expect, test } from 'vitest'
import { storeSession } from '#test/support/chat/chat-history.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'

/** What a visitor may write, each of which the Markdown parser fails at or takes long for. */
const hostile = {
  quotes: '>'.repeat(4_000),
  lists: `${'- '.repeat(16_000)}a`,
  emphasis: `${'*a'.repeat(900)}${'a*'.repeat(900)}`,
  brackets: '['.repeat(32_000),
  spaces: `# ${' '.repeat(32_000)}x`,
}

describeDashboard('a conversation with texts that stop a parser', (open) => {
  let service: DashboardService
  let path: string

  beforeAll(async () => {
    service = await open()
    const agent = await service.call('create_app', { name: 'Clinic' })
    const { id } = await storeSession(service.ctx.db, {
      workspaceId: service.ada.workspaceId,
      agentId: String(agent.id),
      messages: Object.values(hostile).flatMap((content, n) => [
        { role: 'user' as const, at: Date.parse('2026-01-01T09:00:00Z') + n, content },
        { role: 'assistant' as const, at: Date.parse('2026-01-01T09:00:00Z') + n, content: 'So.' },
      ]),
    })
    path = `/agents/${String(agent.app_name_id)}/analytics/conversations/${id}`
  })

  test('is shown, with the texts as they were written', async () => {
    const page = await service.visit(path)
    const shown = page.getByRole('main').getByRole('list', { name: 'Messages' })
    await shown.getByText('>>>>>>>>>>').first().waitFor()
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await expect.poll(() => shown.getByText('So.').count()).toBeGreaterThan(0)
  })
})
