import { z } from 'zod'
import {
  hideFirstSteps,
  listPinnedAgents,
  pinAgent,
  readFirstSteps,
} from '#features/member-settings/index.ts'
import { anAgent } from '#operations/acts-on.ts'
import { onlyTarget } from '#operations/audited.ts'
import {
  appId,
  defineOperation,
  hints,
  memberOf,
  peopleOnly,
  recordId,
} from '#operations/operation.ts'
import { showAs } from '#operations/show-as.ts'

const namedAgent = z.strictObject({ id: recordId, app_name_id: z.string(), name: z.string() })

const firstSteps = z.strictObject({
  hidden: z.boolean().describe('You hid them'),
  model_connected: z.boolean(),
  agent_created: z.boolean(),
  knowledge_added: z.boolean(),
  tried: z.boolean(),
  shared: z.boolean().describe('An agent has a chat key or an open chat page'),
  agent: namedAgent.nullable().describe('The newest agent'),
})

const showSteps = showAs(firstSteps)
const showAgent = showAs(namedAgent)

const shared = { toolset: 'apps', surfaces: peopleOnly, role: 'viewer' } as const

/** What members choose for themselves in a workspace. */
export const memberSettingsOperations = [
  defineOperation({
    ...shared,
    name: 'get_first_steps',
    title: 'Show first steps',
    description: 'Shows which steps to an agent that others can talk to are done.',
    scope: 'apps:read',
    hints: hints.read,
    input: z.object({}),
    output: firstSteps,
    async run(ctx, call) {
      const { agent, ...steps } = await readFirstSteps(ctx, memberOf(call))
      return showSteps({ ...steps, agent: agent && showAgent(agent) })
    },
  }),
  defineOperation({
    ...shared,
    name: 'hide_first_steps',
    title: 'Hide first steps',
    description: 'Hides the first steps on your start page, or shows them again.',
    scope: 'apps:write',
    hints: hints.update,
    audit: { ...onlyTarget, notes: ['hidden'] },
    input: z.object({ hidden: z.boolean().default(true) }),
    output: z.strictObject({ hidden: z.boolean() }),
    async run(ctx, call, { hidden }) {
      await hideFirstSteps(ctx, memberOf(call), hidden)
      return { hidden }
    },
  }),
  defineOperation({
    ...shared,
    name: 'get_pinned_apps',
    title: 'Show pinned agents',
    description: 'Shows the agents that you pinned.',
    scope: 'apps:read',
    hints: hints.read,
    input: z.object({}),
    output: z.strictObject({ items: z.array(namedAgent) }),
    run: async (ctx, call) => ({
      items: (await listPinnedAgents(ctx, memberOf(call))).map(showAgent),
    }),
  }),
  defineOperation({
    ...shared,
    name: 'pin_app',
    title: 'Pin agent',
    description: 'Puts an agent at the top of your list, or removes it from there.',
    scope: 'apps:write',
    hints: hints.update,
    audit: { ...onlyTarget, notes: ['pinned'] },
    input: z.object({ app_id: appId, pinned: z.boolean().default(true) }),
    output: z.strictObject({ pinned: z.boolean() }),
    actsOn: anAgent,
    async run(ctx, call, { app_id, pinned }) {
      await pinAgent(ctx, memberOf(call), { appId: app_id, pinned })
      return { pinned }
    },
  }),
]
