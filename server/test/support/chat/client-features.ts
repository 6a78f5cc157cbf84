import { appendFileSync } from 'node:fs'
import { test } from 'vitest'
import type { ModelScript } from '#test/support/servers/model-wires.ts'

/** The columns of the table in docs/clients.md. */
export const clientFeatures = [
  'answer',
  'streaming',
  'tools',
  'structured output',
  'images',
  'files',
  'reasoning',
  'conversation',
  'background',
  'abort',
  'errors',
] as const

/** The package of each client. */
export const packageOf: Readonly<Record<string, string>> = {
  'AI SDK, `@ai-sdk/open-responses`': '@ai-sdk/open-responses',
  'AI SDK, `@ai-sdk/openai` with `chat`': '@ai-sdk/openai',
  'AI SDK, `@ai-sdk/openai` with `responses`': '@ai-sdk/openai',
  'AI SDK, `@ai-sdk/openai-compatible`': '@ai-sdk/openai-compatible',
  'LangChain, `ChatOpenAI`': '@langchain/openai',
  'LangChain, `ChatOpenAI` with `useResponsesApi`': '@langchain/openai',
  'LlamaIndex.TS, `OpenAI`': '@llamaindex/openai',
  'LlamaIndex.TS, `OpenAIResponses`': '@llamaindex/openai',
  'OpenAI Agents SDK for JavaScript': '@openai/agents',
  '`instructor` for JavaScript': '@instructor-ai/instructor',
  '`openai` for JavaScript, `chat.completions`': 'openai',
  '`openai` for JavaScript, `responses` and `conversations`': 'openai',
}

/** A line of the file that `CLIENTS_RESULTS` names; the test has passed. */
export interface Shown {
  readonly client: string
  readonly features: readonly string[]
  readonly title: string
}

/**
 * A test that shows features of a client or of the compliance suite. `npm run clients` writes
 * docs/clients.md from those that pass.
 */
export function showsFor(client: string) {
  return (features: readonly string[], title: string, body: () => Promise<void>): void => {
    test(title, async () => {
      await body()
      const file = process.env.CLIENTS_RESULTS
      const shown: Shown = { client, features, title }
      if (file !== undefined) appendFileSync(file, `${JSON.stringify(shown)}\n`)
    })
  }
}

/** An answer of two seconds, for tests that abort it. */
export const slowAnswer: ModelScript = {
  reply: Array.from({ length: 100 }, () => 'word '),
  chunkMs: 20,
}

/** A picture of one pixel. */
export const pixelUrl =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
