import { z } from 'zod'
import { listChunks } from '#features/knowledge/index.ts'
import { aSource } from '#operations/acts-on.ts'
import {
  defineOperation,
  hints,
  listAnswer,
  listOf,
  paging,
  recordId,
} from '#operations/operation.ts'

const chunk = z.strictObject({
  ordinal: z.int(),
  heading: z.string(),
  page: z.int().nullable(),
  text: z.string(),
})

const from = z.int().min(0).default(0).describe('The first ordinal')

/** Not for assistants, which can find the relevant passages with search_knowledge. */
export const listSourceChunks = defineOperation({
  name: 'list_source_chunks',
  title: 'List chunks of a document',
  description: 'Lists the chunks of a document of a source, in the order of its text.',
  toolset: 'knowledge',
  scope: 'knowledge:read',
  hints: hints.read,
  quotesOthers: true,
  surfaces: ['dashboard', 'cli'],
  input: z.object({ source_id: recordId, document_id: recordId, from, ...paging }),
  output: listOf(chunk),
  actsOn: aSource,
  run: async (ctx, { workspaceId }, { source_id, document_id, from, ...page }) => {
    const part = { sourceId: source_id, documentId: document_id, from }
    return listAnswer(await listChunks(ctx, workspaceId, part, page), (one) => one)
  },
})
