import { z } from 'zod'
import {
  addFileSource,
  addTextSource,
  addUrlSource,
  refreshSource,
} from '#features/ingestion/index.ts'
import {
  deleteSource,
  getSource,
  listSources,
  refreshIntervals,
  sourceKinds,
  type Source,
} from '#features/knowledge/index.ts'
import { defineFaults, Fault, withFacts } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { aSource, anAgent } from '#operations/acts-on.ts'
import { changes, creates, itsCreatedId } from '#operations/audited.ts'
import {
  appId,
  defineOperation,
  hints,
  listAnswer,
  listOf,
  paging,
  recordId,
} from '#operations/operation.ts'
import { findSourcePassage } from './find-source-passage.ts'
import { listSourceChunks } from './list-source-chunks.ts'
import { listSourceDocuments } from './list-source-documents.ts'
import { getUnansweredQuestions } from './get-unanswered-questions.ts'
import { searchKnowledgeOperation } from './search-knowledge.ts'
import { maxPages, patterns, showSource, source, sourceTitle } from './shown-source.ts'
import { updateKnowledgeSource } from './update-knowledge-source.ts'

export const sourceFaults = defineFaults({
  source_field_missing: withFacts<{ kind: string; field: string }>('invalid'),
  source_encoding_invalid: 'invalid',
})

const addInput = z.object({
  app_id: appId,
  kind: z
    .enum(sourceKinds)
    .default('text')
    .describe('Text, a file, an address, or the answer to the question in `title`'),
  title: sourceTitle.optional(),
  text: z.string().min(1).optional().describe('Plain text or Markdown'),
  filename: z.string().trim().min(1).max(255).optional().describe('With its extension: guide.pdf'),
  content_base64: z.string().min(1).optional().describe('The bytes of the file'),
  url: z.string().min(1).max(2000).optional().describe('Of a page, or of a sitemap'),
  crawl_depth: z.int().min(0).max(10).default(0).describe('How many links deep pages are read'),
  max_pages: maxPages.default(200),
  include: patterns.default([]).describe('Only pages like these: /help/*'),
  exclude: patterns.default([]),
  refresh_every: z.enum(refreshIntervals).optional().describe('How often pages are read again'),
})

type AddInput = z.output<typeof addInput>

/** The unit of a file or a page returns the source; that of a text returns it as `row`. */
const createdSource = z.union([
  itsCreatedId,
  z.object({ row: itsCreatedId }).transform(({ row }) => row),
])

const reading = { toolset: 'knowledge', scope: 'knowledge:read', hints: hints.read } as const
const changing = { toolset: 'knowledge', scope: 'knowledge:write' } as const

const addKnowledgeSource = defineOperation({
  name: 'add_knowledge_source',
  title: 'Add knowledge',
  description:
    'Adds a text, a file or web pages to an agent’s knowledge. A text is found at once; get_knowledge_source shows when the others are ready.',
  ...changing,
  hints: { ...hints.create, openWorld: true },
  audit: {
    ...creates('knowledge_sources', createdSource),
    notes: ['kind'],
    // A long text takes several units but is one change.
    writtenBy: 'first unit',
  },
  input: addInput,
  output: source,
  actsOn: anAgent,
  run: async (ctx, { workspaceId }, input) => showSource(await addSource(ctx, workspaceId, input)),
})

function addSource(ctx: Context, workspaceId: string, input: AddInput): Promise<Source> {
  const { app_id: appId, kind, title } = input
  if (kind === 'text' || kind === 'answer') {
    const text = { title: given(input, 'title'), text: given(input, 'text') }
    return addTextSource(ctx, workspaceId, { appId, ...text, isAnswer: kind === 'answer' })
  }
  if (kind === 'file') {
    const bytes = [decodeBase64(given(input, 'content_base64'))]
    const named = title === undefined ? {} : { title }
    return addFileSource(ctx, workspaceId, {
      appId,
      filename: given(input, 'filename'),
      bytes,
      ...named,
    })
  }
  const { crawl_depth: depth, max_pages: maxPages, include, exclude } = input
  const refreshEvery = input.refresh_every ?? null
  const crawl = { depth, maxPages, include, exclude, title: title ?? null }
  return addUrlSource(ctx, workspaceId, {
    appId,
    kind,
    url: given(input, 'url'),
    crawl,
    refreshEvery,
  })
}

/** @throws Fault source_field_missing */
function given(input: AddInput, field: 'title' | 'text' | 'filename' | 'content_base64' | 'url') {
  const value = input[field]
  if (value !== undefined) return value
  throw new Fault(sourceFaults.source_field_missing, { kind: input.kind, field })
}

/** @throws Fault source_encoding_invalid */
function decodeBase64(text: string): Uint8Array {
  try {
    // Rejects invalid characters, unlike Buffer. Both alphabets of RFC 4648 are accepted.
    return Uint8Array.fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
  } catch (error) {
    throw new Fault(sourceFaults.source_encoding_invalid, {}, { cause: error })
  }
}

const refreshKnowledgeSource = defineOperation({
  name: 'refresh_knowledge_source',
  title: 'Refresh knowledge source',
  description:
    'Reads pages, or a failed text or file, again. Unchanged content is not indexed again, and searches find the old version until the new one is ready.',
  ...changing,
  hints: { ...hints.update, openWorld: true },
  audit: changes('knowledge_sources', 'source_id'),
  input: z.object({
    source_id: recordId,
    refresh_every: z
      .enum([...refreshIntervals, 'never'])
      .optional()
      .describe('From now on; unchanged if left out'),
  }),
  output: source,
  actsOn: aSource,
  run: async (ctx, { workspaceId }, { source_id, refresh_every }) => {
    const interval = refresh_every === 'never' ? null : refresh_every
    return showSource(await refreshSource(ctx, workspaceId, source_id, interval))
  },
})

const listKnowledgeSources = defineOperation({
  name: 'list_knowledge_sources',
  title: 'List knowledge',
  description: 'Lists the sources of an agent, newest first.',
  ...reading,
  input: z.object({ app_id: appId, ...paging }),
  output: listOf(source),
  actsOn: anAgent,
  run: async (ctx, { workspaceId }, { app_id, ...page }) =>
    listAnswer(await listSources(ctx, workspaceId, app_id, page), showSource),
})

const getKnowledgeSource = defineOperation({
  name: 'get_knowledge_source',
  title: 'Get knowledge source',
  description: 'Shows one source: its status, size and error.',
  ...reading,
  input: z.object({ source_id: recordId }),
  output: source,
  actsOn: aSource,
  run: async (ctx, { workspaceId }, input) =>
    showSource(await getSource(ctx, workspaceId, input.source_id)),
})

const deleteKnowledgeSource = defineOperation({
  name: 'delete_knowledge_source',
  title: 'Delete knowledge source',
  description: 'Deletes a source. The agent no longer answers from it.',
  ...changing,
  hints: hints.remove,
  audit: {
    ...changes('knowledge_sources', 'source_id'),
    // A large source is deleted in several units; searches stop finding it with the first.
    writtenBy: 'first unit',
  },
  input: z.object({ source_id: recordId }),
  output: source,
  actsOn: aSource,
  run: async (ctx, { workspaceId }, input) =>
    showSource(await deleteSource(ctx, workspaceId, input.source_id)),
})

export const knowledgeOperations = [
  addKnowledgeSource,
  listKnowledgeSources,
  getKnowledgeSource,
  updateKnowledgeSource,
  refreshKnowledgeSource,
  deleteKnowledgeSource,
  listSourceDocuments,
  listSourceChunks,
  findSourcePassage,
  getUnansweredQuestions,
  searchKnowledgeOperation,
]
