import { TurnCredits } from '#features/credits/index.ts'
import { resolveProvider } from '#features/providers/index.ts'
import { parseModelId } from '#kernel/model-id.ts'
import { Fault } from '#kernel/fault.ts'
import { tallyWait } from '#kernel/tallies.ts'
import type { Context } from '#platform/context.ts'
import type {
  ModelAnswer,
  ModelFinish,
  ModelMessage,
  ModelRequest,
  Models,
  ModelUsage,
  TextListener,
} from '#platform/models/model.ts'
import type { AgentModel, ModelChoice } from './agent-model.ts'
import { byteLength, maxTokens } from './most-tokens.ts'
import { ownMessages, type SessionRequest } from './session-request.ts'
import { isContent, requireAbilities } from './message-parts.ts'
import { turnFaults as faults } from './turn-faults.ts'

/**
 * The model that answers this turn and how to reach it.
 *
 * @throws Fault model_invalid, model_not_configured, images_not_supported, audio_not_supported,
 *   files_not_supported
 */
export async function modelOf(
  ctx: Pick<Context, 'db' | 'config' | 'vault' | 'models'>,
  request: SessionRequest,
): Promise<AgentModel> {
  const { agent, messages } = request
  const found = await findModel(ctx, agent, agent.settings.model)
  if (found instanceof Fault) throw found
  if (messages.some(({ parts }) => parts !== undefined))
    requireAbilities(found, agent.appNameId, ownMessages(request))
  return found
}

/** @returns a Fault model_invalid or model_not_configured if the agent cannot be answered by this model */
export async function findModel(
  ctx: Pick<Context, 'db' | 'config' | 'vault'> & { readonly models: Pick<Models, 'abilities'> },
  agent: SessionRequest['agent'],
  wanted: string,
): Promise<AgentModel | Fault> {
  const parsed = parseModelId(ctx.config, wanted)
  // Stored before ids were checked, or by a version that allowed more.
  if (parsed === null) return new Fault(faults.model_invalid, { model: wanted })
  const { provider, model, id } = parsed
  const access =
    agent.hasOwnProviders === false
      ? (ctx.config.providers.get(provider)?.access ?? null)
      : await resolveProvider(ctx, agent.workspaceId, provider)
  if (access === null) return new Fault(faults.model_not_configured, { provider })
  const { vision, audio, fetchesImages } = ctx.models.abilities(provider, model)
  return { id, model, access, sees: vision, hears: audio, fetches: fetchesImages }
}

type MeterContext = Pick<Context, 'db' | 'clock' | 'config' | 'log' | 'modelSlots'> & {
  readonly models: Pick<Models, 'complete' | 'stream' | 'countUsage'>
}

/** How an answer ended. */
export interface Ending extends Pick<
  ModelFinish,
  'finishReason' | 'citedPassages' | 'foundNothing' | 'toolCalls'
> {
  /** What the model reads again with the results of `toolCalls`; absent when those are all. */
  readonly steps?: readonly ModelMessage[] | undefined
  /** The answer ends with a text that is not the model's, such as a question to confirm a call. */
  readonly isQuestion?: boolean
}

/**
 * The model of one turn, and the only way to call it. Where credits are limited, the cost of a call is
 * reserved before it is made. When a call ends, its tokens are counted. The usage to bill is known at
 * any time, so a turn can be billed however it ends.
 */
export class MeteredModel {
  readonly credits: TurnCredits
  readonly #ctx: MeterContext
  readonly #stream: boolean
  readonly #hearRequest: SessionRequest['hearRequest']
  /** Null for an agent with one model. */
  readonly #fallbacks: ModelChoice | null
  /** The usage of the calls that have ended. */
  #usage: ModelUsage = { promptTokens: 0, completionTokens: 0 }
  /** The messages sent in the current call; null between two calls. */
  #underWay: readonly ModelMessage[] | null = null
  /** Text of all calls, and of the latest one. */
  #said = ''
  #saidNow = ''
  #firstTokenMs: number | null = null
  /** Whether the caller has received reasoning of the model. */
  #hasThought = false

  /** @param stream whether text is passed on as it arrives, or all at once when a call ends */
  constructor(
    ctx: MeterContext,
    credits: TurnCredits,
    stream: boolean,
    fallbacks: ModelChoice | null = null,
    hearRequest?: SessionRequest['hearRequest'],
  ) {
    this.#ctx = ctx
    this.credits = credits
    this.#stream = stream
    this.#fallbacks = fallbacks
    this.#hearRequest = hearRequest
  }

  /**
   * Where credits are limited, reserves the cost of the prompt known so far and of the longest answer,
   * so that a turn with too few credits is refused before any part of it is stored.
   *
   * @throws Fault credits_used_up, credit_cap_reached
   */
  static async open(
    ctx: MeterContext,
    { agent, endUser, keyId, messages, stream, hearRequest }: SessionRequest,
    turn: {
      readonly messageId: string
      readonly startedAt: number
      readonly modelId: string
      readonly fallbacks: ModelChoice | null
    },
  ): Promise<MeteredModel> {
    const { system_prompt, max_output_tokens } = agent.settings
    const credits = await TurnCredits.open(ctx, {
      consumer: {
        workspaceId: agent.workspaceId,
        agentId: agent.id,
        keyId: keyId ?? null,
        endUser,
      },
      turnId: turn.messageId,
      model: turn.modelId,
      startedAt: turn.startedAt,
      plan: agent.plan,
      hasCaps: agent.hasCaps,
      priceCount: agent.priceCount,
    })
    if (credits.isLimited) {
      // What the model reads of files is reserved with its call.
      const said = messages.map(({ content, parts }) => ({
        role: 'user' as const,
        content: parts?.filter(isContent) ?? content,
      }))
      await credits.holdForModel({
        promptTokens: maxTokens([{ role: 'system', content: system_prompt }, ...said]),
        completionTokens: max_output_tokens ?? ctx.config.creditOutputTokens,
      })
    }
    return new MeteredModel(ctx, credits, stream, turn.fallbacks, hearRequest)
  }

  /** The answer so far: the text of all calls, each in separate paragraphs. */
  get said(): string {
    return this.#said
  }

  /** The text of the latest call. */
  get saidNow(): string {
    return this.#saidNow
  }

  /** Milliseconds until the first text arrived; null for an answer that is not streamed. */
  get firstTokenMs(): number | null {
    return this.#firstTokenMs
  }

  /** The usage of all calls that have ended. */
  get usage(): ModelUsage {
    return this.#usage
  }

  /**
   * One call of the model.
   *
   * @param listener receives the text as the answer shows it
   * @throws Fault credits_used_up, credit_cap_reached
   */
  async call(wanted: ModelRequest, listener: TextListener): Promise<ModelAnswer> {
    if (this.#fallbacks === null) return await this.#call(wanted, listener)
    return await this.#fallbacks.call(wanted, {
      change: async ({ id }) => {
        if (id !== this.credits.model) await this.credits.changeModel(id)
      },
      call: (request) => this.#call(this.#noticing(request), listener),
      hasBegun: () => this.#saidNow !== '' || this.#hasThought,
    })
  }

  /** Notices when the caller receives reasoning: no other model may answer then. */
  #noticing(request: ModelRequest): ModelRequest {
    const { hearReasoning } = request
    if (hearReasoning === undefined) return request
    const hear: TextListener = (texts) => {
      this.#hasThought = true
      return hearReasoning(texts)
    }
    return { ...request, hearReasoning: hear }
  }

  async #call(wanted: ModelRequest, listener: TextListener): Promise<ModelAnswer> {
    const request = this.credits.isLimited ? await this.#reserve(wanted) : wanted
    const { messages } = request
    this.#underWay = messages
    this.#saidNow = ''
    const finish = await this.#inSlot(request, listener)
    const text = this.#saidNow
    const written = (finish.toolCalls ?? []).map((call) => call.name + call.arguments).join('')
    const usage = finish.usage ?? (await this.#ctx.models.countUsage(messages, text + written))
    this.credits.settleModel(usage)
    this.#usage = sumOf(this.#usage, usage)
    this.#underWay = null
    return { ...finish, text }
  }

  /**
   * The usage to bill for a turn that fails or is aborted. Calls that ended are billed. A call that
   * failed before its first text is not. A call that the client aborted before its first text is billed
   * for its prompt, because the model has read it.
   */
  async usageOfFailed({ disconnected }: { readonly disconnected: boolean }): Promise<ModelUsage> {
    const [read, text] = [this.#underWay, this.#saidNow]
    if (read === null || (text === '' && !disconnected)) return this.#usage
    return sumOf(this.#usage, await this.#ctx.models.countUsage(read, text))
  }

  /** Of all that the model wrote, the answer is this text. */
  replace(text: string): void {
    this.#said = text
  }

  /** Adds a paragraph that does not come from the model. @returns the text as the answer shows it */
  add(paragraph: string): string {
    this.#saidNow = ''
    return this.#hear(paragraph)
  }

  /** Limits the answer to the length that was reserved for it. */
  async #reserve(request: ModelRequest): Promise<ModelRequest> {
    const maxOutputTokens = request.maxOutputTokens ?? this.#ctx.config.creditOutputTokens
    const promptTokens = maxTokens(request.messages) + byteLength(JSON.stringify(request.tools))
    await this.credits.holdForModel({ promptTokens, completionTokens: maxOutputTokens })
    return { ...request, maxOutputTokens }
  }

  /** Waits for a slot unless the model is built in, which uses no connection. */
  async #inSlot(request: ModelRequest, listener: TextListener): Promise<ModelFinish> {
    if (request.access.baseUrl === null) return await this.#answer(request, listener)
    const { workspaceId } = this.credits.consumer
    const { modelSlots } = this.#ctx
    const stopWaiting = tallyWait(request.access.provider)
    const release = await modelSlots.acquire(workspaceId, request.signal).finally(stopWaiting)
    try {
      return await this.#answer(request, listener)
    } finally {
      release()
    }
  }

  async #answer(request: ModelRequest, listener: TextListener): Promise<ModelFinish> {
    const { models } = this.#ctx
    this.#hearRequest?.(request)
    if (this.#stream) return await models.stream(request, (texts) => this.#hearAll(texts, listener))
    const answer = await models.complete(request)
    if (answer.reasoning !== undefined) await request.hearReasoning?.([answer.reasoning])
    await listener([this.#hear(answer.text)])
    return answer
  }

  #hearAll(texts: readonly string[], listener: TextListener): void | Promise<void> {
    const shown = texts.map((text) => this.#hear(text))
    if (this.#said !== '') this.#firstTokenMs ??= this.#ctx.clock.now() - this.credits.startedAt
    return listener(shown)
  }

  /** Adds to the answer. @returns the text as the answer shows it: each call starts a paragraph */
  #hear(text: string): string {
    const begins = text !== '' && this.#saidNow === '' && /\S$/.test(this.#said)
    const shown = begins ? `\n\n${text}` : text
    this.#saidNow += text
    this.#said += shown
    return shown
  }
}

function sumOf(one: ModelUsage, other: ModelUsage): ModelUsage {
  const cachedTokens = (one.cachedTokens ?? 0) + (other.cachedTokens ?? 0)
  const reasoningTokens = (one.reasoningTokens ?? 0) + (other.reasoningTokens ?? 0)
  return {
    promptTokens: one.promptTokens + other.promptTokens,
    ...(cachedTokens === 0 ? {} : { cachedTokens }),
    completionTokens: one.completionTokens + other.completionTokens,
    ...(reasoningTokens === 0 ? {} : { reasoningTokens }),
  }
}
