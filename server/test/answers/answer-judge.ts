import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ensureDemoAgent } from '#commands/serving/demo-agent.ts'
import { createAgent } from '#features/agents/index.ts'
import { createAgentKey } from '#features/api-keys/index.ts'
import { addTextSource } from '#features/ingestion/index.ts'
import { chatSurface } from '#surfaces/chat/index.ts'
import type { Person, TestInstance } from '#test/support/test-instance.ts'

const texts = z.enum(['docs', 'shop'])
const asked = z.strictObject({ texts, question: z.string() })

const judgedSet = z.strictObject({
  about: z.string(),
  questions: z.array(
    asked.extend({
      /** The sentence, list line or table row that answers, as the page has it. */
      gold: z.string(),
      /** The title of the page. */
      page: z.string(),
    }),
  ),
  /** Questions that the texts do not answer. */
  offTopic: z.array(asked),
})

export type JudgedSet = z.infer<typeof judgedSet>
export type JudgedQuestion = JudgedSet['questions'][number]
export type Texts = z.infer<typeof texts>

/** The sets that the model was improved with. It is never tuned on `blind`. */
export const developmentSets = [
  'development',
  'development-2',
  'development-3',
  'definitions',
] as const

export type SetName = (typeof developmentSets)[number] | 'blind'

export async function readJudgedSet(name: SetName): Promise<JudgedSet> {
  const text = await readFile(join(import.meta.dirname, `${name}.json`), 'utf8')
  return judgedSet.parse(JSON.parse(text))
}

/** An agent that answers without a language model from one of the sets of texts. */
export interface JudgedAgent {
  ask(question: string): Promise<Answer>
}

export interface Answer {
  readonly text: string
  readonly citations: readonly { readonly title: string; readonly passage: string }[]
}

const completion = z.object({
  choices: z.array(
    z.object({
      message: z.object({
        content: z.string(),
        citations: z.array(z.object({ title: z.string(), passage: z.string() })).default([]),
      }),
    }),
  ),
})

/** The two agents: the guide to Parley that every installation has, and a shop's. */
export async function openJudgedAgents(
  instance: TestInstance,
): Promise<Readonly<Record<Texts, JudgedAgent>>> {
  const { ctx } = instance
  const owner = await instance.person()
  await ensureDemoAgent(ctx, owner)
  const guide = ctx.db.read.selectFrom('agents').select(['id', 'app_name_id as appNameId'])
  const docs = await openAgent(instance, owner, await guide.executeTakeFirstOrThrow())
  const agent = await createAgent(ctx, owner, { name: 'Clay & Pine', model: 'local/extractive' })
  for (const page of await readShop())
    await addTextSource(ctx, owner.workspaceId, { appId: agent.id, ...page })
  return { docs, shop: await openAgent(instance, owner, agent) }
}

async function readShop(): Promise<{ title: string; text: string }[]> {
  const folder = join(import.meta.dirname, 'shop')
  const names = (await readdir(folder)).sort()
  return await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8')
      return { title: /^# (.+)$/m.exec(text)?.[1] ?? name, text }
    }),
  )
}

async function openAgent(
  { ctx }: TestInstance,
  owner: Person,
  { id, appNameId }: { readonly id: string; readonly appNameId: string },
): Promise<JudgedAgent> {
  const { key } = await createAgentKey(ctx, owner, { appId: id, kind: 'chat', name: 'judge' })
  const app = chatSurface(ctx)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return {
    async ask(question) {
      const messages = [{ role: 'user', content: question }]
      const body = JSON.stringify({ model: appNameId, messages, store: false })
      const response = await app.request('/chat/completions', { method: 'POST', headers, body })
      const [choice] = completion.parse(await response.json()).choices
      return { text: choice?.message.content ?? '', citations: choice?.message.citations ?? [] }
    },
  }
}

/** Whether an answer quotes the gold sentence and names its page. Line breaks do not count. */
export function isRight({ text }: Answer, { gold, page }: JudgedQuestion): boolean {
  const plain = text.replace(/\s+/g, ' ')
  return plain.includes(gold) && plain.includes(page)
}
