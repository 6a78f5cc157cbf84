import { z } from 'zod'
import { updateSource } from '#features/ingestion/index.ts'
import { refreshIntervals } from '#features/knowledge/index.ts'
import { aSource } from '#operations/acts-on.ts'
import { changes } from '#operations/audited.ts'
import { defineOperation, hints, recordId } from '#operations/operation.ts'
import { maxPages, patterns, showSource, source, sourceTitle } from './shown-source.ts'

export const updateKnowledgeSource = defineOperation({
  name: 'update_knowledge_source',
  title: 'Update knowledge source',
  description:
    'Renames a source, replaces its text, or changes which pages are read and how often. Searches find the old version until the new one is ready.',
  toolset: 'knowledge',
  scope: 'knowledge:write',
  hints: { ...hints.update, openWorld: true },
  audit: changes('knowledge_sources', 'source_id'),
  input: z.object({
    source_id: recordId,
    title: sourceTitle.optional(),
    text: z.string().min(1).optional().describe('Of a text: replaces it'),
    include: patterns.optional(),
    exclude: patterns.optional(),
    max_pages: maxPages.optional(),
    refresh_every: z.enum([...refreshIntervals, 'never']).optional(),
  }),
  output: source,
  actsOn: aSource,
  run: async (ctx, { workspaceId }, { source_id, title, text, refresh_every, ...rest }) => {
    const refreshEvery = refresh_every === 'never' ? null : refresh_every
    const { include, exclude, max_pages } = rest
    const pages = { include, exclude, maxPages: max_pages }
    return showSource(
      await updateSource(ctx, workspaceId, source_id, { title, text, pages, refreshEvery }),
    )
  },
})
