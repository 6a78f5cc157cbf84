import { expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { addTextSource } from '#features/ingestion/index.ts'
import { describeInstance } from '#test/support/test-instance.ts'
import { readAnalysisState } from './analysis-store.ts'
import { analysisVersion } from '#features/text-analysis/index.ts'
import { rebuildIndex } from './rebuild-index.ts'
import { noteEmptyIndex } from './renew-index.ts'

describeInstance('The terms of an index', (open) => {
  test('are up to date in an empty index, and unknown in an index that has chunks', async () => {
    const [{ ctx }, older] = [await open(), await open()]
    await noteEmptyIndex(ctx)
    expect(await readAnalysisState(ctx.db.read)).toEqual({ version: analysisVersion, after: null })
    const person = await older.person()
    const { id: appId, workspaceId } = await createAgent(older.ctx, person, { name: 'Older' })
    await addTextSource(older.ctx, workspaceId, { appId, title: 'Tea', text: 'Tea is hot.' })
    await noteEmptyIndex(older.ctx)
    expect(await readAnalysisState(older.ctx.db.read)).toBeUndefined()
  })
  test('are rebuilt up to the last chunk that exists at the start, while new texts are added', async () => {
    const { ctx, person } = await open()
    const owner = await person()
    const { id: appId } = await createAgent(ctx, owner, { name: 'Busy' })
    let added = 0
    const add = async () => {
      added += 1
      if (added > 50) throw new Error('the rebuild does not end')
      await addTextSource(ctx, owner.workspaceId, { appId, title: 'Tea', text: `Cup ${added}.` })
    }
    await add()
    await add()
    const write: typeof ctx.db.write = async (unit) => {
      await add()
      return await ctx.db.write(unit)
    }
    const db = { ...ctx.db, write }
    const pace = { after: 0, chunksPerUnit: 1, isBackground: false }
    expect(await rebuildIndex({ db }, pace)).toBe(2)
  })
})
