import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import {
  endVisits,
  getChatPage,
  openPage,
  proofOfLink,
  sealLinks,
  updateChatPage,
} from './index.ts'

const run = { id: '', attempt: 1, isLast: false, signal: new AbortController().signal }

describeInstance('the secret link of a chat page', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
  })

  async function createPage() {
    const { ctx } = instance
    const agent = await createAgent(ctx, ada, { name: 'Shop' })
    const settings = { enabled: true, access: 'link' } as const
    const { linkToken } = await updateChatPage(ctx, ada.workspaceId, agent.id, settings)
    return { ...agent, link: linkToken ?? '' }
  }

  const storedLink = async (agentId: string) => {
    const { db } = instance.ctx
    const pages = db.read.selectFrom('chat_pages').select('link_token')
    return (await pages.where('agent_id', '=', agentId).executeTakeFirstOrThrow()).link_token
  }

  async function opens({ appNameId }: { readonly appNameId: string }, link: string) {
    return proofOfLink(await openPage(instance.ctx, appNameId), link) !== null
  }

  test('is stored sealed, opens the page, and is replaced with the visits', async () => {
    const { ctx } = instance
    const page = await createPage()
    expect(page.link).toMatch(/^[\w-]{27}$/)
    expect(await storedLink(page.id)).not.toContain(page.link)
    expect(await opens(page, page.link)).toBe(true)
    expect(await opens(page, await storedLink(page.id))).toBe(false)
    expect(await opens(page, '')).toBe(false)
    const { linkToken } = await endVisits(ctx, ada.workspaceId, page.id)
    expect(await storedLink(page.id)).not.toContain(linkToken)
    expect(await opens(page, page.link)).toBe(false)
    expect(await opens(page, linkToken ?? '')).toBe(true)
  })

  test('of a version before is sealed by a job and stays the same', async () => {
    const { ctx } = instance
    const [page, other] = [await createPage(), await createPage()]
    const before = 'x'.repeat(27)
    await ctx.db.write((tx) =>
      tx
        .updateTable('chat_pages')
        .set({ link_token: before })
        .where('agent_id', '=', page.id)
        .execute(),
    )
    const kept = await storedLink(other.id)
    expect(await opens(page, before)).toBe(true)
    await sealLinks.run(ctx, {}, run)
    const sealed = await storedLink(page.id)
    expect(sealed).not.toContain(before)
    expect(await opens(page, before)).toBe(true)
    expect((await getChatPage(ctx, ada.workspaceId, page.id)).linkToken).toBe(before)
    await sealLinks.run(ctx, {}, run)
    expect(await storedLink(page.id)).toBe(sealed)
    expect(await storedLink(other.id)).toBe(kept)
  })
})
