import { beforeAll, expect, test } from 'vitest'
import { acceptByPassword, inviteMember } from '#features/members/index.ts'
import { createAccount } from '#test/support/identity/create-account.ts'
import { describeInstance, type TestInstance } from '#test/support/test-instance.ts'
import { whole } from '#test/support/identity/whole-session.ts'
import {
  changePassword,
  completeSetup,
  createUser,
  ensureOwner,
  resetPassword,
  signIn,
} from './index.ts'

const visitor = { address: '203.0.113.7', userAgent: null, sessionToken: null }
const weak = { email: 'weak@example.com', name: 'Weak', password: '1234567890' }
const good = 'correct horse battery'

describeInstance('a password that is easy to guess', (open) => {
  let instance: TestInstance

  beforeAll(async () => {
    instance = await open()
  })

  const refused = async (attempt: Promise<unknown>) =>
    await expect(attempt).rejects.toMatchObject({ code: 'password_guessable', kind: 'invalid' })

  test.each([
    'qwertyuiop',
    'Passw0rd123!',
    'iloveyou123',
    'x'.repeat(300),
    'new.person@example.com',
  ])('is not accepted: %s', (password) =>
    refused(createUser(instance.ctx, { email: 'new.person@example.com', password })),
  )

  const named = { email: 'jquux.sales@acme-tools.example', name: 'Joséphina Quux' }

  test.each([
    'josephina-quux',
    'JosephinaQuux1985',
    'Josephina_Quux_2024!',
    'J0s3ph1na.Quux99',
    'quux.josephina.quux',
    'AcmeTools-jquux-1',
  ])('includes the person’s own name or address with little else: %s', (password) =>
    refused(createUser(instance.ctx, { ...named, password })),
  )

  test('may include a name beside words that are hard to guess', async () => {
    await createUser(instance.ctx, { ...named, password: 'Josephina correct horse battery' })
  })

  test('includes the name of a workspace or the stored name with little else', async () => {
    const account = { email: 'smith@example.com', name: 'Wilhelmina Q', password: good }
    const { user, workspaceId } = await createAccount(instance.ctx, account)
    await instance.ctx.db.write((tx) =>
      tx
        .updateTable('workspaces')
        .set({ name: 'Zebrafish Laboratories' })
        .where('id', '=', workspaceId)
        .execute(),
    )
    const session = { id: 'none', user, address: null }
    const change = { current: good, next: 'Zebrafish.Laboratories.2025' }
    await refused(changePassword(instance.ctx, session, change))
    const reset = { email: account.email, password: 'wilhelmina-2025!!' }
    await refused(resetPassword(instance.ctx, reset))
  })

  test('is refused by a set-up link, which stays usable', async () => {
    const fresh = await open()
    const { token } = (await ensureOwner(fresh.ctx))!.setup!
    await refused(completeSetup(fresh.ctx, token, weak, visitor))
    await completeSetup(fresh.ctx, token, { ...weak, password: good }, visitor)
    await signIn(fresh.ctx, { ...weak, password: good }, visitor)
  })

  test('is refused as the password of the first owner', async () => {
    const fresh = await open({ OWNER_PASSWORD: weak.password })
    await refused(ensureOwner(fresh.ctx))
  })

  test('is refused by an invitation, which stays usable', async () => {
    const ada = await instance.person()
    const email = 'invited@example.com'
    const input = { role: 'editor', email, byMail: false } as const
    const { id, link } = await inviteMember(instance.ctx, ada, input)
    // As if its link had been mailed: only then does it create an account.
    const mailed = { mail_status: 'sent' } as const
    await instance.ctx.db.write((tx) =>
      tx.updateTable('invitations').set(mailed).where('id', '=', id).execute(),
    )
    const token = String(link?.split('/').at(-1))
    await refused(acceptByPassword(instance.ctx, token, weak, visitor))
    const given = { ...weak, password: good }
    await acceptByPassword(instance.ctx, token, given, visitor)
    await signIn(instance.ctx, { email, password: good }, visitor)
  })

  test('still signs a person in who has it, and cannot be chosen again', async () => {
    const account = { email: 'before@example.com', name: 'Before', password: '12345678' }
    const { user } = await createAccount(instance.ctx, account)
    const { token } = whole(await signIn(instance.ctx, account, visitor))
    expect(token).not.toBe('')
    const session = { id: 'none', user, address: null }
    const change = { current: account.password, next: weak.password }
    await refused(changePassword(instance.ctx, session, change))
    await refused(resetPassword(instance.ctx, { ...account, password: weak.password }))
    await signIn(instance.ctx, account, visitor)
  })

  test('does not spend a guess of the account page', async () => {
    const limited = await open({ SIGN_IN_ATTEMPTS_LIMIT: '1' })
    const account = { email: 'careful@example.com', name: 'Careful', password: 'first words here' }
    const { user } = await createAccount(limited.ctx, account)
    const session = { id: 'none', user, address: null }
    const change = { current: account.password, next: weak.password }
    for (let time = 0; time < 3; time += 1)
      await refused(changePassword(limited.ctx, session, change))
  })

  test('is recognised by one process, for many people at once and one after the other', async () => {
    const opened: unknown[] = []
    const { workers } = instance.ctx
    const counted = {
      open: (...args: Parameters<typeof workers.open>) => {
        opened.push(args)
        return workers.open(...args)
      },
    }
    const ctx = { ...instance.ctx, workers: counted }
    const attempts = Array.from({ length: 5 }, () => createUser(ctx, weak))
    await Promise.all(attempts.map(refused))
    await refused(createUser(ctx, weak))
    expect(opened).toHaveLength(1)
  })
})
