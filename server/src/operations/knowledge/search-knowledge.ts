import { z } from 'zod'
import { retrievalModes } from '#features/agents/index.ts'
import { searchKnowledge, type FoundSource } from '#features/retrieval/index.ts'
import { anAgent } from '#operations/acts-on.ts'
import {
  appId,
  defineOperation,
  hints,
  listAnswer,
  listOf,
  recordId,
} from '#operations/operation.ts'
import { showAs } from '#operations/show-as.ts'

const found = z.strictObject({
  source_id: recordId,
  title: z.string(),
  score: z.number().describe('Larger is better; compare within one answer only'),
  why: z.strictObject({
    fulltext: z
      .strictObject({ rank: z.int(), score: z.number(), terms: z.array(z.string()) })
      .nullable()
      .describe('BM25 score and matched terms'),
    vector: z.strictObject({ rank: z.int(), similarity: z.number() }).nullable(),
  }),
  passage: z.string().describe('The part of the source that matches best'),
  heading: z.string().describe('The headings above the passage'),
  url: z.string().nullable(),
  page: z.int().nullable(),
})

const named = showAs(found)

function showFound({ text: passage, terms, why, ...more }: FoundSource) {
  const fulltext = why.fulltext === null ? null : { ...why.fulltext, terms }
  return named({ ...more, passage, why: { fulltext, vector: why.vector } })
}

/** Why a search did not use vectors. */
const withoutVectors = {
  not_embedded: 'Nothing is embedded yet: only full text was searched.',
  not_configured: 'The embedding model cannot be reached: only full text was searched.',
  embedding_failed: 'The provider did not embed the question: only full text was searched.',
} as const

export const searchKnowledgeOperation = defineOperation({
  name: 'search_knowledge',
  title: 'Search knowledge',
  description:
    'Finds the sources of an agent that best match a question, each with its best passage.',
  toolset: 'knowledge',
  scope: 'knowledge:read',
  hints: hints.read,
  quotesOthers: true,
  input: z.object({
    app_id: appId,
    query: z.string().max(10_000).describe('Words or a question, in any language'),
    top_k: z.int().min(1).max(100).default(10).describe('How many sources, at most 100'),
  }),
  output: listOf(found).extend({
    mode: z.enum(retrievalModes).describe('What was searched'),
    note: z.string().nullable(),
  }),
  actsOn: anAgent,
  run: async (ctx, { workspaceId }, { app_id, query, top_k }) => {
    const search = { appId: app_id, query, topK: top_k }
    const { items, mode, without } = await searchKnowledge(ctx, workspaceId, search)
    const note = without === null ? null : withoutVectors[without]
    return { ...listAnswer({ items, nextCursor: null }, showFound), mode, note }
  },
})
