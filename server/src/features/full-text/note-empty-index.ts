import type { Context } from '#platform/context.ts'
import { readAnalysisState, writeAnalysisState } from './analysis-store.ts'
import { holdsChunks } from './chunk-store.ts'
import { analysisVersion } from '#features/text-analysis/index.ts'

/** An index that holds nothing agrees with the analyser, so that `renewIndex` has nothing to do. */
export async function noteEmptyIndex({ db }: Pick<Context, 'db'>): Promise<void> {
  if ((await readAnalysisState(db.read)) !== undefined) return
  await db.write(async (tx) => {
    if ((await holdsChunks(tx)) || (await readAnalysisState(tx)) !== undefined) return
    await writeAnalysisState(tx, { version: analysisVersion, after: null })
  })
}
