import { z } from 'zod'
import { folderName, listFolders, maxMoved, moveAgents } from '#features/agents/index.ts'
import { onlyTarget } from '#operations/audited.ts'
import { appId, defineOperation, hints, peopleOnly } from '#operations/operation.ts'

const shared = { toolset: 'apps', surfaces: peopleOnly } as const

/** The folders in which people find agents. */
export const appFolderOperations = [
  defineOperation({
    ...shared,
    name: 'get_app_folders',
    title: 'Show folders of agents',
    description: 'Shows the folders of a workspace’s agents, with how many agents are in each.',
    scope: 'apps:read',
    hints: hints.read,
    input: z.object({}),
    output: z.strictObject({
      items: z.array(
        z.strictObject({
          name: z.string().describe('Empty for the agents in no folder'),
          agents: z.int(),
        }),
      ),
    }),
    run: async (ctx, { workspaceId }) => ({ items: await listFolders(ctx, workspaceId) }),
  }),
  defineOperation({
    ...shared,
    name: 'move_apps',
    title: 'Move agents to a folder',
    description: 'Moves agents to a folder, which need not exist, or out of their folders.',
    scope: 'apps:write',
    hints: hints.update,
    audit: { ...onlyTarget, notes: ['app_ids', 'folder'] },
    input: z.object({
      app_ids: z.array(appId).min(1).max(maxMoved),
      folder: folderName.describe('Empty: no folder'),
    }),
    output: z.strictObject({ folder: z.string() }),
    async run(ctx, { workspaceId }, { app_ids, folder }) {
      await moveAgents(ctx, workspaceId, { appIds: app_ids, folder })
      return { folder }
    },
  }),
]
