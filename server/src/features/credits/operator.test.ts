import { expect, test } from 'vitest'
import { setFactorOfOwners } from '#features/workspaces/index.ts'
import { newId } from '#kernel/ids.ts'
import { describeInstance } from '#test/support/test-instance.ts'
import { isOperator } from './operator.ts'

describeInstance('operators', (open) => {
  test('need the second factor that the first workspace requires of its owners', async () => {
    const { ctx, join, person } = await open()
    const ada = await person()
    const bob = await person()
    await join(bob, ada.workspaceId, 'owner')
    const areOperators = async () => [
      await isOperator(ctx, ada.userId),
      await isOperator(ctx, bob.userId),
    ]
    const factor = {
      id: newId(ctx.clock.now()),
      user_id: ada.userId,
      kind: 'totp',
      name: 'App',
      created_at: ctx.clock.now(),
    }
    await ctx.db.write((tx) => tx.insertInto('second_factors').values(factor).execute())
    expect(await areOperators()).toEqual([true, true])
    await setFactorOfOwners(ctx, ada, true)
    expect(await areOperators()).toEqual([true, false])
    await setFactorOfOwners(ctx, ada, false)
    expect(await areOperators()).toEqual([true, true])
  })
})
