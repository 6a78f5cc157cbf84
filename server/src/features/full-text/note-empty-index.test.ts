import { expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { addTextSource } from '#features/ingestion/index.ts'
import { describeInstance } from '#test/support/test-instance.ts'
import { readAnalysisState } from './analysis-store.ts'
import { analysisVersion } from '#features/text-analysis/index.ts'
import { noteEmptyIndex } from './note-empty-index.ts'

describeInstance('the terms of an index', (open) => {
  test('are today’s where it is empty, and unknown where it held something before', async () => {
    const [{ ctx }, older] = [await open(), await open()]
    await noteEmptyIndex(ctx)
    expect(await readAnalysisState(ctx.db.read)).toEqual({ version: analysisVersion, after: null })
    const person = await older.person()
    const { id: appId, workspaceId } = await createAgent(older.ctx, person, { name: 'Older' })
    await addTextSource(older.ctx, workspaceId, { appId, title: 'Tea', text: 'Tea is hot.' })
    await noteEmptyIndex(older.ctx)
    expect(await readAnalysisState(older.ctx.db.read)).toBeUndefined()
  })
})
