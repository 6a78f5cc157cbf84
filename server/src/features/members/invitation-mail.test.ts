import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { findUserByEmail } from '#features/identity/index.ts'
import { createJobs } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import { listInvitations } from '#features/invitations/index.ts'
import { PostOffice } from '#test/support/servers/post-office.ts'
import {
  describeInstance,
  type TestInstance,
  type OpenInstance,
} from '#test/support/test-instance.ts'
import {
  acceptByPassword,
  inviteMember,
  mailInvitation,
  readInvitation,
  resendInvitation,
  revokeInvitation,
} from './index.ts'

describeInstance('an invitation by mail', (open: OpenInstance) => {
  const office = new PostOffice()
  let instance: TestInstance
  let sends: () => Promise<number>
  let stop: () => Promise<void>

  beforeAll(async () => {
    const url = await office.open()
    const mail = { SMTP_URL: url, MAIL_FROM: 'Parley <parley@example.com>' }
    instance = await open({ ...mail, BASE_URL: 'https://parley.example.com' })
    const queue = createJobs(instance.ctx.clock)
    const runner = createJobRunner(instance.ctx, queue, [mailInvitation])
    sends = () => runner.runDue()
    stop = () => runner.stop()
  })
  beforeEach(() => {
    office.letters.length = 0
    office.refusals = []
  })
  afterAll(async () => {
    await stop()
    await office.close()
  })

  const tokenIn = (source: string) => {
    const plain = source.replaceAll('=\r\n', '').replaceAll('=3D', '=')
    return /https:\/\/parley\.example\.com\/invitations\/([\w-]{43})/.exec(plain)?.[1] ?? ''
  }
  const invite = async (email: string) => {
    const ada = await instance.person()
    const issued = await inviteMember(instance.ctx, ada, { role: 'editor', email })
    return { ada, ...issued }
  }
  const statusOf = async (workspaceId: string) =>
    (await listInvitations(instance.ctx, workspaceId, { limit: 10, settled: true })).items[0]

  test('goes to the person alone, once, with a link that works', async () => {
    const { ada, link } = await invite('mailed@example.com')
    expect(link).toBeNull()
    expect(await statusOf(ada.workspaceId)).toMatchObject({ mail: 'pending' })
    await sends()
    await sends()
    expect(office.letters.map(({ to }) => to)).toEqual([['mailed@example.com']])
    const [letter] = office.letters
    expect(letter?.source).toMatch(/^Subject: Person \d+ invites you to/m)
    expect(letter?.source).toMatch(/^Accept here, until [\d-]{10} \d\d:\d\d UTC:/m)
    expect(letter?.source).toMatch(/^Auto-Submitted: auto-generated/m)
    expect(await statusOf(ada.workspaceId)).toMatchObject({ mail: 'sent', status: 'open' })
    expect(await readInvitation(instance.ctx, tokenIn(letter?.source ?? ''))).toMatchObject({
      email: 'mailed@example.com',
    })
  })

  test('proves the address of the person', async () => {
    await invite('proven@example.com')
    await sends()
    const visitor = { address: '203.0.113.1', userAgent: null, sessionToken: null }
    const given = { email: '', name: '', password: 'a good password' }
    await acceptByPassword(instance.ctx, tokenIn(office.letters[0]?.source ?? ''), given, visitor)
    expect(await findUserByEmail(instance.ctx, 'proven@example.com')).toMatchObject({
      emailProof: 'mailbox',
    })
  })

  test('stores link and message sealed, and deletes them once sent', async () => {
    const { id } = await invite('sealed@example.com')
    const stored = () =>
      instance.ctx.db.read
        .selectFrom('invitations')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    const before = await stored()
    await sends()
    const token = tokenIn(office.letters[0]?.source ?? '')
    expect(token).toHaveLength(43)
    expect(before.mail_sealed).not.toBeNull()
    expect(JSON.stringify(before)).not.toContain(token)
    expect((await stored()).mail_sealed).toBeNull()
  })

  test('is tried again while the server is busy, under the same Message-ID', async () => {
    const { ada, id } = await invite('later@example.com')
    office.refusals = [451]
    await sends()
    expect(await statusOf(ada.workspaceId)).toMatchObject({ mail: 'pending' })
    instance.advance(60_000)
    await sends()
    expect(office.letters).toHaveLength(1)
    expect(office.letters[0]?.source).toContain(`Message-ID: <${id}.1@example.com>`)
    expect(await statusOf(ada.workspaceId)).toMatchObject({ mail: 'sent' })
  })

  test('that the server refuses permanently is marked as failed, and can be sent again', async () => {
    const { ada, id } = await invite('no-such-box@example.com')
    office.refusals = [550]
    await sends()
    const failed = await statusOf(ada.workspaceId)
    expect(failed).toMatchObject({ mail: 'failed', mailError: 'the mail server refused it: 550' })
    await resendInvitation(instance.ctx, ada, { id })
    await sends()
    expect(office.letters[0]?.source).toContain(`Message-ID: <${id}.2@example.com>`)
  })

  test('that is sent again before its delivery is delivered once', async () => {
    const { ada, id } = await invite('twice@example.com')
    await resendInvitation(instance.ctx, ada, { id })
    await sends()
    expect(office.letters).toHaveLength(1)
    await readInvitation(instance.ctx, tokenIn(office.letters[0]?.source ?? ''))
  })

  test('that is revoked before its delivery is not delivered', async () => {
    const { ada, id } = await invite('never@example.com')
    await revokeInvitation(instance.ctx, ada, id)
    await sends()
    expect(office.letters).toEqual([])
  })

  test('holds names on one line, so that they cannot add headers or text', async () => {
    const ada = await instance.person()
    const name = 'Win\r\nBcc: victim@example.com\r\n\r\nClick http://evil.example'
    await instance.ctx.db.write((tx) =>
      tx.updateTable('users').set({ name }).where('id', '=', ada.userId).execute(),
    )
    const input = { role: 'viewer', email: 'target@example.com' } as const
    await inviteMember(instance.ctx, ada, input)
    await sends()
    expect(office.letters.map(({ to }) => to)).toEqual([['target@example.com']])
    expect(office.letters[0]?.source).not.toMatch(/^Bcc:/im)
  })
})
