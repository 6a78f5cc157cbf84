import { TurnCredits } from '#features/credits/index.ts'
import type { Context } from '#platform/context.ts'
import type {
  ModelAnswer,
  ModelFinish,
  ModelMessage,
  ModelRequest,
  Models,
  ModelUsage,
} from '#platform/models/model.ts'
import type { SessionRequest } from './open-session.ts'

type CreditContext = Pick<Context, 'db' | 'clock' | 'config' | 'log'>
type CountingModels = Pick<Models, 'complete' | 'stream' | 'countUsage'>

/**
 * Opens the credits of a turn. Where credits are limited, what the prompt known so far and the
 * longest answer may cost is reserved: a turn with too little left is refused before anything of it
 * is stored.
 *
 * @throws Fault credits_used_up, credit_cap_reached
 */
export async function openCredits(
  ctx: CreditContext,
  request: SessionRequest,
  turn: { readonly messageId: string; readonly startedAt: number },
): Promise<TurnCredits> {
  const { agent, endUser, keyId = null } = request
  const credits = await TurnCredits.open(ctx, {
    consumer: { workspaceId: agent.workspaceId, agentId: agent.id, keyId, endUser },
    turnId: turn.messageId,
    model: agent.settings.model,
    startedAt: turn.startedAt,
    plan: agent.plan,
    hasCaps: agent.hasCaps,
  })
  if (!credits.isLimited) return credits
  const { system_prompt, max_output_tokens } = agent.settings
  const said = request.messages.map(({ content, parts }) => ({
    role: 'user' as const,
    content: parts ?? content,
  }))
  await credits.holdForModel({
    promptTokens: maxTokens([{ role: 'system', content: system_prompt }, ...said]),
    completionTokens: max_output_tokens ?? ctx.config.creditOutputTokens,
  })
  return credits
}

/**
 * Wraps the models of a turn with limited credits: each call reserves its cost before it is made,
 * and its answer is held to the reserved length.
 */
export function modelsWithin(
  credits: TurnCredits,
  models: CountingModels,
  { creditOutputTokens }: Pick<Context['config'], 'creditOutputTokens'>,
): CountingModels {
  if (!credits.isLimited) return models
  const hold = async (request: ModelRequest) => {
    const maxOutputTokens = request.maxOutputTokens ?? creditOutputTokens
    const promptTokens = maxTokens(request.messages) + byteLength(JSON.stringify(request.tools))
    const most = { promptTokens, completionTokens: maxOutputTokens }
    await credits.holdForModel(most)
    return { most, request: { ...request, maxOutputTokens } }
  }
  const settle = (most: ModelUsage, finish: ModelFinish | null) =>
    credits.settleModel(finish?.usage ?? most)
  return {
    countUsage: (messages, answer) => models.countUsage(messages, answer),
    async complete(wanted): Promise<ModelAnswer> {
      const { most, request } = await hold(wanted)
      const answer = await models.complete(request)
      settle(most, answer)
      return answer
    },
    async *stream(wanted) {
      const { most, request } = await hold(wanted)
      let finish: ModelFinish | null = null
      for await (const batch of models.stream(request)) {
        for (const event of batch) if (event.type === 'finish') finish = event
        yield batch
      }
      settle(most, finish)
    },
  }
}

/** Upper bound for what a provider adds to frame one message. */
const tokensOfFraming = 16
/** Upper bound for a large image in full detail. */
const tokensOfImage = 4_000

/** No tokenizer makes more tokens of a text than it has bytes. */
function maxTokens(messages: readonly ModelMessage[]): number {
  let tokens = tokensOfFraming
  for (const message of messages) {
    tokens += tokensOfFraming
    const { content } = message
    for (const part of typeof content === 'string' ? [{ text: content }] : content)
      tokens += 'text' in part ? byteLength(part.text) : tokensOfImage
    if (message.role === 'assistant') tokens += byteLength(JSON.stringify(message.toolCalls))
  }
  return tokens
}

function byteLength(text: string | undefined): number {
  return text === undefined ? 0 : Buffer.byteLength(text)
}
