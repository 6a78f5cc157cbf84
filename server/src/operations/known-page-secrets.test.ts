import { beforeAll, expect, test } from 'vitest'
import { disableUser } from '#features/identity/index.ts'
import { removeMember } from '#features/members/index.ts'
import type { Role } from '#kernel/actor.ts'
import type { Context } from '#platform/context.ts'
import {
  actorOf,
  describeInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'
import { findOperation } from './catalogue.ts'
import { runOperation } from './run-operation.ts'

type Item = Readonly<Record<string, unknown>>

describeInstance('secrets of a chat page that a person was shown', (open) => {
  let instance: TestInstance
  let owner: Person

  beforeAll(async () => {
    instance = await open()
    owner = await instance.person({ plan: 'enterprise' })
  })

  const call = (person: Person, name: string, input: object, ctx: Context = instance.ctx) =>
    runOperation(ctx, actorOf(person), findOperation(name)!, input)

  const join = async (role: Role) => {
    const person = await instance.person()
    await instance.join(person, owner.workspaceId, role)
    return { ...person, workspaceId: owner.workspaceId }
  }

  /** An agent with an open page. */
  async function newPage(access: 'public' | 'link' = 'link'): Promise<string> {
    const app = await call(owner, 'create_app', { name: 'Shop' })
    const app_id = String(app.id)
    await call(owner, 'update_chat_page', { app_id, enabled: true, access })
    return app_id
  }

  const listed = async (app_id: string) => {
    const { items } = await call(owner, 'list_keys_to_rotate', {})
    return (items as readonly Item[]).filter((item) => item.app_id === app_id)
  }

  const remove = (person: Person) =>
    call(owner, 'remove_member', { user_id: person.userId }) as Promise<{
      readonly keys_to_rotate: readonly Item[]
    }>

  test('a removed member’s are listed until they are replaced', async () => {
    const app_id = await newPage()
    const editor = await join('editor')
    await call(editor, 'rotate_identity_secret', { app_id })
    await call(editor, 'get_chat_page', { app_id })
    await call(editor, 'get_chat_page_code', { app_id })
    expect(await listed(app_id)).toEqual([])
    const { keys_to_rotate: known } = await remove(editor)
    const shown = { app_id, agent_name: 'Shop', last4: null, created_by: { id: editor.userId } }
    expect(known).toMatchObject([
      { ...shown, kind: 'link', reason: 'member_removed' },
      { ...shown, kind: 'identity', reason: 'member_removed' },
    ])
    expect(await listed(app_id)).toEqual(known)
    await call(owner, 'rotate_identity_secret', { app_id })
    expect(await listed(app_id)).toMatchObject([{ kind: 'link' }])
    await call(owner, 'end_chat_visits', { app_id })
    expect(await listed(app_id)).toEqual([])
  })

  test('one that was replaced is no longer known by who saw the former one', async () => {
    const app_id = await newPage()
    const editor = await join('editor')
    await call(editor, 'rotate_identity_secret', { app_id })
    await call(editor, 'update_chat_page', { app_id, title: 'Ask us' })
    await call(owner, 'rotate_identity_secret', { app_id })
    await call(owner, 'end_chat_visits', { app_id })
    expect((await remove(editor)).keys_to_rotate).toEqual([])
  })

  test('are listed when the person becomes a viewer, with their chat keys, and not for a lesser change', async () => {
    const app_id = await newPage()
    const admin = await join('admin')
    await call(admin, 'rotate_identity_secret', { app_id })
    await call(admin, 'create_chat_key', { app_id, name: 'site' })
    const become = (role: Role) =>
      call(owner, 'change_member_role', { user_id: admin.userId, role })
    await become('editor')
    expect(await listed(app_id)).toEqual([])
    await become('viewer')
    const reason = 'role_lost'
    expect(await listed(app_id)).toMatchObject([
      { kind: 'chat', reason },
      { kind: 'identity', reason },
    ])
  })

  test('are listed when the person is disabled, and taken off the list by an owner who keeps them', async () => {
    const app_id = await newPage()
    const editor = await join('editor')
    await call(editor, 'get_chat_page', { app_id })
    const { keysToRotate } = await disableUser(instance.ctx, editor.email)
    expect(keysToRotate).toMatchObject([{ kind: 'link', reason: 'person_disabled' }])
    const id = (await listed(app_id))[0]?.id
    const stranger = await instance.person()
    await expect(call(stranger, 'keep_page_secret', { id })).rejects.toMatchObject({
      code: 'record_not_found',
    })
    await call(owner, 'keep_page_secret', { id })
    expect(await listed(app_id)).toEqual([])
  })

  test('a link that was not shown is not known: to viewers, without access by link, on another page', async () => {
    const [linked, open] = [await newPage(), await newPage('public')]
    const editor = await join('editor')
    await call(editor, 'get_chat_page', { app_id: open })
    const narrow = { ...actorOf(editor), scopes: ['apps:read'] as const }
    const masked = await runOperation(instance.ctx, narrow, findOperation('get_chat_page')!, {
      app_id: linked,
    })
    expect(String(masked.url)).not.toMatch(/\?k=\w/)
    expect((await remove(editor)).keys_to_rotate).toEqual([])
  })

  test('a person who is removed while they ask is shown none', async () => {
    const app_id = await newPage()
    const editor = await join('editor')
    const { db } = instance.ctx
    const write: typeof db.write = async (unit, options) => {
      await removeMember(instance.ctx, owner, editor.userId)
      return await db.write(unit, options)
    }
    const late = call(
      editor,
      'get_chat_page',
      { app_id },
      { ...instance.ctx, db: { ...db, write } },
    )
    await expect(late).rejects.toMatchObject({ code: 'record_not_found' })
    expect(await listed(app_id)).toEqual([])
  })

  test('showing them again writes nothing, and a change of the page is one audit event', async () => {
    const app_id = await newPage()
    const editor = await join('editor')
    await call(editor, 'update_chat_page', { app_id, title: 'Ask us' })
    const { db } = instance.ctx
    const write: typeof db.write = () => Promise.reject(new Error('a write'))
    await call(editor, 'get_chat_page', { app_id }, { ...instance.ctx, db: { ...db, write } })
    const { items } = await call(owner, 'list_audit_events', { action: 'update_chat_page' })
    const own = (items as readonly Item[]).filter(({ target }) => target === app_id)
    expect(own).toHaveLength(2)
  })
})
