import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { storeSession } from '#test/support/chat/chat-history.ts'
import { axeViolations } from '#test/support/browser/axe.ts'
import { picture } from '#test/support/browser/browser-service.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'

const main = (page: Page) => page.getByRole('main')
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/
/** Tall, because lists render only the rows near the viewport. */
const tall = { viewport: { width: 1440, height: 6000 } }

describeDashboard('what the logs of a workspace say', (open) => {
  let service: DashboardService
  let agent: string
  let invitation: string

  beforeAll(async () => {
    service = await open()
    const { ctx, ada, call } = service
    const { id: app_id, app_name_id } = await call('create_app', { name: 'Logged' })
    agent = String(app_name_id)
    const { id: key } = await call('create_chat_key', { app_id, name: 'Website' })
    await call('revoke_chat_key', { id: key })
    await call('set_app_variable', { app_id, name: 'SHOP', type: 'string', value: 'tea' })
    const text = { app_id, title: 'Hours', text: 'We open at nine.' }
    const { id: source_id } = await call('add_knowledge_source', text)
    await call('upsert_product', { app_id, name: 'Tea', price_amount: 100, currency: 'eur' })
    const talk = await storeSession(ctx.db, {
      workspaceId: ada.workspaceId,
      agentId: String(app_id),
      messages: [
        { role: 'user', at: 1, content: 'When?' },
        { role: 'assistant', at: 2, content: 'At nine.' },
      ],
    })
    await call('rate_answer', { session_id: talk.id, rating: 'up' })
    const bob = await service.account('Bob', 'viewer')
    await call('change_member_role', { user_id: bob.userId, role: 'editor' })
    const invited = await call('invite_member', { role: 'viewer', email: 'eve@example.com' })
    invitation = String(invited.id)
    const gone = await call('create_app', { name: 'Gone' })
    await call('delete_app', { app_id: gone.id })
    const lost = await call('add_knowledge_source', { ...text, title: 'Lost' })
    await call('delete_knowledge_source', { source_id: lost.id })
    const { workspaceId } = ada
    const enqueue = (kind: string, input: Readonly<Record<string, unknown>>) => {
      const job = { kind, input: z.record(z.string(), z.unknown()) }
      return ctx.db.write((tx) => ctx.jobs.enqueue(tx, job, input, { workspaceId }))
    }
    await enqueue('members.mail_invitation', { id: invitation, round: 1 })
    await enqueue('conversations.reindex', { sessionId: talk.id })
    await enqueue('knowledge.ingest', { sourceId: source_id })
    await enqueue('knowledge.ingest', { sourceId: lost.id })
    await enqueue('knowledge.embed', { agentId: app_id, workspaceId })
  })

  test('is names with links, and no id, in an audit log with every event open', async () => {
    const page = await service.visit('/settings/audit', tall)
    const events = main(page).getByRole('list', { name: 'Events' }).getByRole('listitem')
    await events.first().waitFor()
    expect(await events.count()).toBeGreaterThan(12)
    // The name of the record is a link before the event is opened.
    const created = events.filter({ hasText: 'Create agent' }).filter({ hasText: 'Logged' })
    const link = created.getByRole('link', { name: 'Agent “Logged”' })
    expect(await link.getAttribute('href')).toContain(`/agents/${agent}`)
    await events
      .filter({ hasText: 'Rate answer' })
      .getByRole('link', { name: 'Conversation with “Logged”' })
      .waitFor()
    await page.evaluate(
      `document.querySelectorAll('main :is(li, [role=listitem]) [aria-expanded=false]').forEach((one) => one.click())`,
    )
    await main(page).getByText('create_app').first().waitFor()
    await picture(page, 'dashboard-logs-open', false)
    const shown = await main(page).innerText()
    expect(shown).toContain('Made through')
    expect(shown).not.toMatch(uuid)
    expect(shown).toContain('A record that was deleted or has no name')
    expect(await axeViolations(page)).toEqual([])
    // The id is still at hand, and so are other events of the same kind.
    await created.getByRole('button', { name: 'Copy ID' }).waitFor()
    await created.getByRole('link', { name: 'create_app' }).click()
    await page.waitForURL(/action=create_app/)
    await page.context().close()
  })

  test('is the names of what jobs work on, with links', async () => {
    const page = await service.visit('/settings/jobs', tall)
    const jobs = main(page).getByRole('list', { name: 'Jobs' }).getByRole('listitem')
    const mail = jobs.filter({ hasText: 'Sending an invitation' })
    const link = mail.getByRole('link', { name: 'Invitation “eve@example.com”' })
    expect(await link.getAttribute('href')).toContain('/settings/members')
    await jobs
      .filter({ hasText: 'Indexing a conversation' })
      .getByRole('link', { name: 'Conversation with “Logged”' })
      .waitFor()
    await jobs.getByText('A record that was deleted or has no name').waitFor()
    expect(await jobs.count()).toBe(5)
    expect(await main(page).innerText()).not.toMatch(uuid)
    await page.context().close()
  })
})
