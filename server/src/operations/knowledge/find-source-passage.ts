import { z } from 'zod'
import { findPassage } from '#features/knowledge/index.ts'
import { aSource } from '#operations/acts-on.ts'
import { defineOperation, hints, recordId } from '#operations/operation.ts'

const end = z.string().min(1).max(200)

/** Not for assistants, because a citation already quotes its passage. */
export const findSourcePassage = defineOperation({
  name: 'find_source_passage',
  title: 'Find a cited passage',
  description: 'Finds the chunk of a source that begins and ends like the passage of a citation.',
  toolset: 'knowledge',
  scope: 'knowledge:read',
  hints: hints.read,
  surfaces: ['dashboard', 'cli'],
  input: z.object({ source_id: recordId, start: end, end }),
  output: z.strictObject({ document_id: recordId, ordinal: z.int() }),
  actsOn: aSource,
  run: async (ctx, { workspaceId }, { source_id, ...ends }) => {
    const { documentId, ordinal } = await findPassage(ctx, workspaceId, source_id, ends)
    return { document_id: documentId, ordinal }
  },
})
