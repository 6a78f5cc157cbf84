import { z } from 'zod'
import { agentWorkspace } from '#features/agents/index.ts'
import {
  addTextSource,
  deleteSource,
  getSource,
  listSources,
  searchKnowledge,
  sourceStatuses,
  sourceWorkspace,
  type Source,
} from '#features/knowledge/index.ts'
import type { Context } from '#platform/context.ts'
import type { Passage } from '#platform/models/model.ts'
import {
  appId,
  defineOperation,
  hints,
  listAnswer,
  listOf,
  paging,
  recordId,
  timestamp,
} from './operation.ts'

const source = z.strictObject({
  id: recordId,
  app_id: recordId,
  workspace_id: recordId,
  kind: z.string(),
  title: z.string(),
  url: z.string().nullable(),
  status: z.enum(sourceStatuses).describe('Searches find what is ready'),
  error: z.string().nullable(),
  bytes: z.int(),
  chunk_count: z.int(),
  token_count: z.int().describe('An estimate'),
  created_at: timestamp,
  updated_at: timestamp,
})

const found = z.strictObject({
  source_id: recordId,
  title: z.string(),
  score: z.number().describe('BM25: positive, larger is better; compare within one answer only'),
  passage: z.string().describe('The part of the source that fits best'),
  heading: z.string().describe('The headings above the passage'),
  url: z.string().nullable(),
  page: z.int().nullable(),
})

function show(record: Source) {
  return {
    id: record.id,
    app_id: record.agentId,
    workspace_id: record.workspaceId,
    kind: record.kind,
    title: record.title,
    url: record.url,
    status: record.status,
    error: record.error,
    bytes: record.bytes,
    chunk_count: record.chunkCount,
    token_count: record.tokenCount,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  }
}

function showFound({ sourceId, title, score, text, heading, url, page }: Passage) {
  return { source_id: sourceId, title, score, passage: text, heading, url, page }
}

function locateAgent(ctx: Context, input: { app_id: string }) {
  return agentWorkspace(ctx, input.app_id)
}

function locateSource(ctx: Context, input: { source_id: string }) {
  return sourceWorkspace(ctx, input.source_id)
}

const addKnowledgeSource = defineOperation({
  name: 'add_knowledge_source',
  title: 'Add knowledge',
  description: 'Adds a text to what an agent knows; it answers from it at once.',
  toolset: 'knowledge',
  scope: 'knowledge:write',
  hints: hints.create,
  // A long text takes several units of work and is one change all the same.
  recorded: 'with the first change',
  input: z.object({
    app_id: appId,
    kind: z.literal('text').default('text'),
    title: z.string().trim().min(1).max(500).describe('What citations call it'),
    text: z.string().min(1).describe('Plain text or Markdown'),
  }),
  output: source,
  locate: locateAgent,
  run: async (ctx, { workspaceId }, { app_id, title, text }) =>
    show(await addTextSource(ctx, workspaceId, { appId: app_id, title, text })),
})

const listKnowledgeSources = defineOperation({
  name: 'list_knowledge_sources',
  title: 'List knowledge',
  description: 'Lists what an agent knows, newest first.',
  toolset: 'knowledge',
  scope: 'knowledge:read',
  hints: hints.read,
  input: z.object({ app_id: appId, ...paging }),
  output: listOf(source),
  locate: locateAgent,
  run: async (ctx, { workspaceId }, { app_id, ...page }) =>
    listAnswer(await listSources(ctx, workspaceId, app_id, page), show),
})

const getKnowledgeSource = defineOperation({
  name: 'get_knowledge_source',
  title: 'Get knowledge source',
  description: 'Shows one source: its status, size and error.',
  toolset: 'knowledge',
  scope: 'knowledge:read',
  hints: hints.read,
  input: z.object({ source_id: recordId }),
  output: source,
  locate: locateSource,
  run: async (ctx, { workspaceId }, input) =>
    show(await getSource(ctx, workspaceId, input.source_id)),
})

const deleteKnowledgeSource = defineOperation({
  name: 'delete_knowledge_source',
  title: 'Delete knowledge source',
  description: 'Deletes a source; the agent no longer answers from it.',
  toolset: 'knowledge',
  scope: 'knowledge:write',
  hints: hints.remove,
  input: z.object({ source_id: recordId }),
  output: source,
  locate: locateSource,
  run: async (ctx, { workspaceId }, input) =>
    show(await deleteSource(ctx, workspaceId, input.source_id)),
})

const searchKnowledgeOperation = defineOperation({
  name: 'search_knowledge',
  title: 'Search knowledge',
  description:
    'Finds the sources of an agent that answer a question best, each with its best passage.',
  toolset: 'knowledge',
  scope: 'knowledge:read',
  hints: hints.read,
  quotesOthers: true,
  input: z.object({
    app_id: appId,
    query: z.string().max(10_000).describe('Words or a question, in any language'),
    top_k: z.int().min(1).max(100).default(10).describe('How many sources, at most 100'),
  }),
  output: listOf(found),
  locate: locateAgent,
  run: async (ctx, { workspaceId }, { app_id, query, top_k }) => {
    const search = { appId: app_id, query, topK: top_k }
    const items = await searchKnowledge(ctx, workspaceId, search)
    return listAnswer({ items, nextCursor: null }, showFound)
  },
})

export const knowledgeOperations = [
  addKnowledgeSource,
  listKnowledgeSources,
  getKnowledgeSource,
  deleteKnowledgeSource,
  searchKnowledgeOperation,
]
