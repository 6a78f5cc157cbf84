import { readFile } from 'node:fs/promises'
import { createAgent, getAgent, type Agent, type Author } from '#features/agents/index.ts'
import { createAgentKey } from '#features/api-keys/index.ts'
import { addTextSource } from '#features/ingestion/index.ts'
import { listSources } from '#features/knowledge/index.ts'
import { environmentAccess } from '#features/providers/index.ts'
import { parseModelId } from '#kernel/model-id.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Database } from '#platform/db/database.ts'
import { documentationFiles, type DocumentationFile } from '#platform/documentation.ts'
import { decideMeta, readMeta } from '#platform/meta.ts'
import { localModel } from '#platform/providers/local.ts'

const none = 'none'

const parleyGuide = {
  name: 'Parley Guide',
  description: 'Answers questions about Parley from its own documentation.',
  system_prompt:
    'You are the guide to Parley, a self-hosted service for AI agents. Answer from the passages ' +
    'you are given, briefly and with the exact names of commands, fields and variables. If the ' +
    'passages do not contain the answer, say so.',
  greeting: 'Hello! Ask me anything about Parley.',
  suggestions: [
    'How do I continue a conversation?',
    'How do I use my own OpenAI key?',
    'How do I make a backup?',
  ],
}

/** The question of the printed curl. The documentation answers it in a few sentences. */
export const demoQuestion = 'How do I continue a conversation?'

/**
 * Creates the demo agent in an empty database, unless `DEMO=false`. This is decided once per
 * database: if two processes start at the same time, one creates the agent.
 */
export async function ensureDemoAgent(ctx: Context, owner: Author): Promise<void> {
  const decided = await readMeta(ctx.db.read, 'demo_agent_id')
  if (decided === undefined) await decide(ctx, owner)
  else if (decided !== none) await teachInterrupted(ctx, owner, decided)
}

async function decide(ctx: Context, owner: Author): Promise<void> {
  if (ctx.config.demo) {
    const agent = await makeAgent(ctx, owner)
    if (agent !== null) await teach(ctx, agent)
  } else await ctx.db.write((tx) => decideMeta(tx, 'demo_agent_id', none))
}

class DecidedMeanwhile extends Error {}

/** Stores the agent and the decision in one unit. */
async function makeAgent(ctx: Context, owner: Author): Promise<Agent | null> {
  try {
    const input = { ...parleyGuide, model: modelThatAnswers(ctx.config) }
    return await createAgent({ ...ctx, db: deciding(ctx.db) }, owner, input)
  } catch (error) {
    if (error instanceof DecidedMeanwhile) return null
    throw error
  }
}

/** The printed curl must work even if the default model's provider has no key yet. */
function modelThatAnswers(config: Context['config']): string {
  const provider = parseModelId(config, config.defaultModel)?.provider ?? ''
  return environmentAccess(config, provider) === null ? localModel : config.defaultModel
}

function deciding(db: Database): Database {
  return Object.create(db, {
    write: {
      value: <T extends { readonly id: string }>(unit: Parameters<typeof db.write<T>>[0]) =>
        db.write(async (tx) => {
          const agent = await unit(tx)
          if (!(await decideMeta(tx, 'demo_agent_id', agent.id))) throw new DecidedMeanwhile()
          return agent
        }),
    },
  }) as Database // Object.create returns any; the prototype is a Database.
}

/** After this time, the process that created the agent is considered dead. */
const teachingMs = 60_000

/** Continues for a process that was killed before it had added every page. */
async function teachInterrupted(ctx: Context, owner: Author, agentId: string): Promise<void> {
  if ((await readMeta(ctx.db.read, 'demo_taught_at')) !== undefined) return
  const agent = await findAgent(ctx, owner, agentId)
  if (agent !== null && agent.createdAt < ctx.clock.now() - teachingMs) await teach(ctx, agent)
}

/** Adds the documentation pages that are not sources of the agent yet. */
async function teach(ctx: Context, { id: appId, workspaceId }: Agent): Promise<void> {
  const { items } = await listSources(ctx, workspaceId, appId, { limit: 100 })
  const known = items.filter(({ status }) => status !== 'failed')
  const titles = new Set(known.map(({ title }) => title))
  for (const file of documentationFiles()) {
    const { title, text } = await readPage(file)
    const url = `${ctx.config.baseUrl}/docs/${file.name}`
    if (!titles.has(title)) await addTextSource(ctx, workspaceId, { appId, title, text, url })
  }
  const now = new Date(ctx.clock.now()).toISOString()
  await ctx.db.write((tx) => decideMeta(tx, 'demo_taught_at', now))
}

/** The README's table of variables, which `configuration.md` repeats in sentences. */
const variableTable = /<!-- configuration:begin -->[^]*?<!-- configuration:end -->/
/** The README's example question and answer: it would rank above the page that it quotes. */
const firstConversation = /<!-- example:begin -->[^]*?<!-- example:end -->/
const comments = /<!--[^]*?-->/g

async function readPage({ name, path }: DocumentationFile) {
  const page = await readFile(path, 'utf8')
  const title = /^# (.+)$/m.exec(page)?.[1] ?? name
  const text = page.replace(variableTable, '').replace(firstConversation, '')
  return { title, text: text.replaceAll(comments, '') }
}

export interface Welcome {
  readonly appNameId: string
  /** Shown once. */
  readonly chatKey: string
}

/** The demo agent with a new chat key at the first start on a database; otherwise null. */
export async function welcomeOnce(ctx: Context, owner: Author): Promise<Welcome | null> {
  const now = new Date(ctx.clock.now()).toISOString()
  const first = await ctx.db.write((tx) => decideMeta(tx, 'welcomed_at', now))
  const agentId = await readMeta(ctx.db.read, 'demo_agent_id')
  if (!first || agentId === undefined || agentId === none) return null
  const agent = await findAgent(ctx, owner, agentId)
  if (agent === null) return null
  const input = { kind: 'chat', appId: agent.id, name: 'First start' } as const
  const { key } = await createAgentKey(ctx, owner, input)
  return { appNameId: agent.appNameId, chatKey: key }
}

/** Whether a start has printed what is printed once. */
export async function wasWelcomed(ctx: Pick<Context, 'db'>): Promise<boolean> {
  return (await readMeta(ctx.db.read, 'welcomed_at')) !== undefined
}

/** Null if it was deleted. */
async function findAgent(ctx: Context, owner: Author, agentId: string): Promise<Agent | null> {
  try {
    return await getAgent(ctx, owner.workspaceId, agentId)
  } catch (error) {
    if (error instanceof Fault && error.kind === 'not_found') return null
    throw error
  }
}
