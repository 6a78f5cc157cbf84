import { z } from 'zod'
import { findWorkspaceAgent, startTurn } from '#features/turns/index.ts'
import { searchDocumentation } from '#features/documentation/index.ts'
import { describeReaches, type DescribedReach } from '#features/reach/index.ts'
import { findUser } from '#features/identity/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import { roles } from '#kernel/actor.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { planNames } from '#kernel/plan.ts'
import { allScopes } from '#kernel/scope.ts'
import { anAgent } from '#operations/acts-on.ts'
import { reach } from '#operations/people/key-fields.ts'
import { appId, defineOperation, hints, recordId } from '#operations/operation.ts'
import { showAs } from '#operations/show-as.ts'

const person = z.strictObject({ id: recordId, name: z.string(), email: z.string() })

const ownWorkspace = z.strictObject({
  id: recordId,
  name: z.string(),
  plan: z.enum(planNames),
  role: z.enum(roles),
})

const showPerson = showAs(person)
const showWorkspace = showAs(ownWorkspace)

/** The wire's arrays are mutable. */
function named(found: DescribedReach | null) {
  return found === null ? null : { workspaces: [...found.workspaces], agents: [...found.agents] }
}

const whoAmI = defineOperation({
  name: 'whoami',
  title: 'Who am I',
  description:
    'Shows the user that you act for, the default workspace of calls, your scopes, and what you are bound to.',
  toolset: 'core',
  scope: null,
  personal: true,
  reach: 'part',
  hints: hints.read,
  input: z.object({}),
  output: z.strictObject({
    user: person,
    workspace: ownWorkspace,
    scopes: z.array(z.enum(allScopes)),
    reach,
    client: z.string().nullable().describe('Name of the key or application'),
  }),
  run: async (ctx, { actor }) => {
    const user = await findUser(ctx, actor.userId)
    if (user === null) throw new Fault(commonFaults.record_not_found)
    const workspace = await getWorkspace(ctx.db.read, actor.userId, actor.workspaceId)
    const [bound] = await describeReaches(ctx, actor.userId, [{ reach: actor.reach }])
    return {
      user: showPerson(user),
      workspace: showWorkspace(workspace),
      scopes: [...actor.scopes],
      reach: named(bound?.reach ?? null),
      client: actor.via?.client ?? null,
    }
  },
})

const searchDocs = defineOperation({
  name: 'search_documentation',
  title: 'Search documentation',
  description: 'Finds the passages of Parley’s documentation that best match a question.',
  toolset: 'core',
  scope: null,
  personal: true,
  reach: 'part',
  hints: hints.read,
  input: z.object({
    query: z.string().trim().min(1).max(1000),
    limit: z.int().min(1).max(20).default(5),
  }),
  output: z.strictObject({
    items: z.array(
      z.strictObject({
        title: z.string(),
        heading: z.string(),
        passage: z.string(),
        url: z.string(),
      }),
    ),
  }),
  run: async (ctx, _call, { query, limit }) => {
    const found = await searchDocumentation(ctx, query, limit)
    return {
      items: found.map(({ title, heading, text, url }) => ({ title, heading, passage: text, url })),
    }
  },
})

const chatWithApp = defineOperation({
  name: 'chat_with_app',
  title: 'Chat with agent',
  description:
    'Sends a message to an agent and returns its answer, stored as a conversation. May cost model tokens.',
  toolset: 'apps',
  scope: 'apps:write',
  hints: { ...hints.create, openWorld: true },
  audit: { writtenBy: 'verb' },
  quotesOthers: true,
  input: z.object({
    app_id: appId,
    message: z.string().min(1).max(100_000),
    session_id: recordId.optional().describe('Continues this conversation'),
    draft: z.boolean().default(false).describe('Answers with the settings of the draft'),
  }),
  output: z.strictObject({
    session_id: recordId,
    answer: z.string(),
    finish_reason: z.string(),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    citations: z.array(z.strictObject({ title: z.string(), url: z.string().nullable() })),
  }),
  actsOn: anAgent,
  run: async (
    ctx,
    { actor, workspaceId, signal, record },
    { app_id, message, session_id, draft },
  ) => {
    const version = draft ? 'draft' : undefined
    const agent = await findWorkspaceAgent(ctx, workspaceId, app_id, { version })
    await record(agent.id)
    const request = {
      agent,
      source: actor.surface,
      sessionId: session_id ?? null,
      messages: [{ role: 'user', content: message }] as const,
      store: true,
      stream: false,
      endUser: null,
      correlationId: actor.requestId ?? null,
    }
    const turn = await startTurn(ctx, request, signal)
    const { text, finishReason, usage, citations } = await turn.answer()
    return {
      session_id: turn.sessionId,
      answer: text,
      finish_reason: finishReason,
      prompt_tokens: usage.promptTokens,
      completion_tokens: usage.completionTokens,
      citations: citations.map(({ title, url }) => ({ title, url })),
    }
  },
})

export const assistanceOperations = [whoAmI, searchDocs, chatWithApp]
