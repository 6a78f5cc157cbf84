import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { ModelMessage, ModelRequest, Thought } from '#platform/models/model.ts'

/**
 * The parts of a model's reasoning that its provider wants back. Anthropic signs them, and refuses the
 * results of calls without what was thought before the calls.
 */
export class Thoughts {
  readonly #provider: string
  readonly #parts = new Map<string, { text: string; data?: Readonly<Record<string, unknown>> }>()

  constructor(provider: string) {
    this.#provider = provider
  }

  /** @param id of the part, of which there may be several pieces */
  add(id: string, text: string, data: Readonly<Record<string, unknown>> | undefined): void {
    const known = this.#parts.get(id)
    const added = data ?? known?.data
    const whole = { text: (known?.text ?? '') + text }
    this.#parts.set(id, added === undefined ? whole : { ...whole, data: added })
  }

  take(part: LanguageModelV4StreamPart): void {
    if (part.type === 'reasoning-delta') this.add(part.id, part.delta, part.providerMetadata)
    else if (part.type === 'reasoning-start' || part.type === 'reasoning-end')
      this.add(part.id, '', part.providerMetadata)
  }

  get all(): Thought[] {
    const provider = this.#provider
    return [...this.#parts.values()].flatMap(({ text, data: providerData }) =>
      providerData?.anthropic === undefined ? [] : [{ text, provider, providerData }],
    )
  }
}

/**
 * The request without the effort of reasoning, if it continues after calls whose thoughts are not known:
 * Anthropic refuses to reason then. Thoughts are not stored without the setting of the agent, and callers
 * that send the whole history never had them.
 */
export function thinkingOnlyOn(request: ModelRequest): ModelRequest {
  const { messages, sampling, access } = request
  if (access.provider !== 'anthropic' || sampling?.reasoningEffort === undefined) return request
  if (!lacksThoughts(messages)) return request
  const { reasoningEffort: _, ...rest } = sampling
  return { ...request, sampling: rest }
}

/** The model thinks once before the calls of a turn, not before each of them. */
function lacksThoughts(messages: readonly ModelMessage[]): boolean {
  const turn = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
  const first = turn.find(({ role }) => role === 'assistant')
  if (first === undefined || first.role === 'tool') return false
  return (first.toolCalls ?? []).length > 0 && (first.thoughts ?? []).length === 0
}
