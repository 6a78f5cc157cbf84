import { z } from 'zod'
import { requireAgent } from '#features/agents/index.ts'
import { chatPageSettings, pairNames, pairsOf, variablesOf } from '#features/visitors/index.ts'
import { anAgent } from '#operations/acts-on.ts'
import { appId, defineOperation, hints, peopleOnly } from '#operations/operation.ts'

const { color, header_color, background_color, font, corner_radius } = chatPageSettings.shape

export const chatPageLookOperations = [
  defineOperation({
    name: 'preview_chat_page_look',
    title: 'Preview the look of a chat page',
    description:
      'Shows how settings of a chat page that are not saved yet would look, and whether people can tell its colours apart (WCAG 2.2). Changes nothing.',
    toolset: 'apps',
    scope: 'apps:read',
    role: 'editor',
    surfaces: peopleOnly,
    hints: hints.read,
    input: z.object({
      app_id: appId,
      color,
      header_color,
      background_color,
      font,
      corner_radius,
    }),
    output: z.strictObject({
      variables: z
        .record(z.string(), z.string())
        .describe('Variables of the style sheet of the page'),
      pairs: z.array(
        z.strictObject({
          pair: z.enum(pairNames),
          ratio: z.number().describe('Contrast of the two colours, from 1 to 21'),
          needed: z.number(),
        }),
      ),
    }),
    actsOn: anAgent,
    run: async (ctx, { workspaceId }, { app_id, ...look }) => {
      await requireAgent(ctx.db.read, workspaceId, app_id)
      return { variables: variablesOf(look), pairs: pairsOf(look) }
    },
  }),
]
