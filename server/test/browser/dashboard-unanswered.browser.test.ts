import { expect, test } from 'vitest'
import { storeSession } from '#test/support/chat/chat-history.ts'
import { describeDashboard } from '#test/support/browser/dashboard.ts'
import { expectSoundLooks } from '#test/support/browser/looks.ts'

describeDashboard('what the knowledge had no answer to', (open) => {
  test('three wordings of a question are one group, which one answer ends', async () => {
    const service = await open()
    const at = service.ctx.clock.now() - 3_600_000
    const { id, app_name_id } = await service.call('create_app', { name: 'Shop' })
    const wordings = [
      'Do you ship to Norway?',
      'Is shipping to Norway possible?',
      'Can you ship my order to Norway',
    ]
    for (const content of [...wordings, 'Do you ship to Spain?'])
      await storeSession(service.ctx.db, {
        workspaceId: service.ada.workspaceId,
        agentId: String(id),
        messages: [
          { role: 'user', at, content },
          { role: 'assistant', at, content: 'I do not know.', citations_json: '[]' },
        ],
      })
    const page = await service.visit(`/agents/${String(app_name_id)}/knowledge`)
    const rows = page.getByRole('list', { name: 'Knowledge had no answer' }).getByRole('listitem')
    await expect.poll(() => rows.count()).toBe(2)
    const group = rows.filter({ hasText: 'Norway' })
    await group.getByText('Asked 3 times').waitFor()
    for (const wording of wordings) expect(await group.innerText()).toContain(wording)
    await expectSoundLooks(page, 'dashboard-unanswered-group')
    await group.getByRole('button', { name: /^Answer this/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Answer', { exact: true }).fill('Yes, within a week.')
    await dialog.getByRole('button', { name: 'Add' }).click()
    // The list seems to be empty while the dialog hides it from assistive technology.
    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual([expect.stringContaining('Do you ship to Spain?')])
  })
})
