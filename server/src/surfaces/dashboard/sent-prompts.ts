import { openVariables } from '#features/variables/index.ts'
import { createMask } from '#kernel/mask.ts'
import type { Context } from '#platform/context.ts'
import type { ModelMessage, ModelRequest } from '#platform/models/model.ts'
import type { SentPrompt } from './page-answers.ts'

/** How much of an image's address is shown, which may contain the image. */
const shownOfImage = 60

export interface SentPrompts {
  /** Hears a request to the model. */
  readonly hear: (request: ModelRequest) => void
  /** Must be called before the first request. Receives the requests one after the other. */
  showTo(show: (prompt: SentPrompt) => Promise<void>): void
  /** Resolves when all requests so far are shown. */
  end(): Promise<void>
}

/**
 * Shows each request of a turn to its model, with the agent's secrets and the provider's key masked.
 * Nothing of it is stored.
 */
export function sentPrompts(
  ctx: Pick<Context, 'db' | 'vault' | 'log'>,
  agentId: string,
): SentPrompts {
  let before: readonly ModelMessage[] = []
  let shown = Promise.resolve()
  let show: (prompt: SentPrompt) => Promise<void> = async () => undefined
  const mask = async (request: ModelRequest, known: readonly ModelMessage[]) => {
    const variables = await openVariables(ctx, ctx.db.read, agentId)
    const { apiKey } = request.access
    const keyMask = await createMask(apiKey === null ? [] : [apiKey])
    const masked = await variables.mask.valueInSlices(promptOf(request, known))
    // A mask changes texts within a value, never its form.
    return (await keyMask.valueInSlices(masked)) as SentPrompt
  }
  return {
    hear(request) {
      const known = before
      before = request.messages
      shown = shown
        .then(async () => await show(await mask(request, known)))
        .catch((error: unknown) => {
          ctx.log.warn({ err: error, agentId }, 'a prompt could not be shown in a test chat')
        })
    },
    showTo(listener) {
      show = listener
    },
    end: () => shown,
  }
}

function promptOf(request: ModelRequest, before: readonly ModelMessage[]): SentPrompt {
  const { access, model, messages, tools = [], sampling = {} } = request
  const changed = messages.findIndex((message, at) => message !== before[at])
  const kept = changed === -1 ? messages.length : changed
  return {
    type: 'prompt',
    model: `${access.provider}/${model}`,
    kept,
    messages: messages.slice(kept).map(shownMessage),
    tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    parameters: given({
      temperature: request.temperature,
      max_output_tokens: request.maxOutputTokens,
      tool_choice: request.toolChoice,
      parallel_tool_calls: request.parallelToolCalls,
      response_format: request.responseFormat,
      ...sampling,
    }),
  }
}

function shownMessage(message: ModelMessage): SentPrompt['messages'][number] {
  const { role, content } = message
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  const calls = message.role === 'tool' ? [] : (message.toolCalls ?? [])
  return {
    role,
    content: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'),
    images: parts.flatMap((part) => (part.type === 'image' ? [shortened(part.url)] : [])),
    tool_calls: calls.map(({ id, name, arguments: written }) => ({ id, name, arguments: written })),
    tool_call_id: message.role === 'tool' ? message.toolCallId : null,
  }
}

function shortened(url: string): string {
  return url.length <= shownOfImage ? url : `${url.slice(0, shownOfImage)}…`
}

/** Without what the model decides itself. */
function given(parameters: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known = Object.entries(parameters).filter(
    ([, value]) => value !== undefined && value !== null,
  )
  return Object.fromEntries(known)
}
