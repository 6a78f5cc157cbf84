import { z } from 'zod'
import { getSource, listDocuments } from '#features/knowledge/index.ts'
import { aSource } from '#operations/acts-on.ts'
import {
  defineOperation,
  hints,
  listAnswer,
  listOf,
  paging,
  recordId,
  timestamp,
} from '#operations/operation.ts'
import { describeSourceError } from './source-error-wording.ts'
import { showAs } from '#operations/show-as.ts'

const document = z.strictObject({
  id: recordId,
  status: z.enum(['building', 'ready']),
  title: z.string().nullable(),
  url: z.string().nullable(),
  page_count: z.int().nullable(),
  chunk_count: z.int(),
  checked_at: timestamp,
})

const show = showAs(document)

const failed = z.strictObject({ url: z.string(), code: z.string(), message: z.string() })

/** Not for assistants: get_knowledge_source names a page that failed in its error. */
export const listSourceDocuments = defineOperation({
  name: 'list_source_documents',
  title: 'List documents of a source',
  description:
    'Lists the pages or the file of a source in the order found, and under `failed` up to 100 pages that could not be read, with the reason.',
  toolset: 'knowledge',
  scope: 'knowledge:read',
  hints: hints.read,
  surfaces: ['dashboard', 'cli'],
  input: z.object({ source_id: recordId, ...paging }),
  output: listOf(document).extend({ failed: z.array(failed) }),
  actsOn: aSource,
  run: async (ctx, { workspaceId }, { source_id, ...page }) => {
    const { error } = await getSource(ctx, workspaceId, source_id)
    const documents = await listDocuments(ctx, workspaceId, source_id, page)
    const pages = error?.pages ?? []
    const failures = pages.map((one) => ({ url: one.url, ...describeSourceError(one) }))
    return { ...listAnswer(documents, show), failed: failures }
  },
})
