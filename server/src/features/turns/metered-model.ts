import { TurnCredits } from '#features/credits/index.ts'
import { joinRefusal } from '#kernel/refusal.ts'
import { tallyWait } from '#kernel/tallies.ts'
import type { Context } from '#platform/context.ts'
import type {
  AnswerListener,
  CallListener,
  ModelAnswer,
  ModelFinish,
  ModelMessage,
  ModelRequest,
  Models,
  ModelUsage,
} from '#platform/models/model.ts'
import type { ModelChoice } from './agent-model.ts'
import { byteLength, maxTokens } from './most-tokens.ts'
import type { SessionRequest } from './session-request.ts'
import { isContent } from './message-parts.ts'
import { sumOf } from './sum-usage.ts'

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
  /** What the model has read and been offered, if it made calls of tools before it answered. */
  readonly read?: Pick<ModelRequest, 'messages' | 'tools'>
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
  /** Where in the answer the model began to refuse; null if it does not. */
  #refusedFrom: number | null = null
  /** What the caller received of calls in the current call of the model. */
  #calledNow = ''
  /** Whether the caller has received reasoning or calls of the model. */
  #hasShown = false

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

  get refusedFrom(): number | null {
    return this.#refusedFrom
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
  async call(wanted: ModelRequest, listener: AnswerListener): Promise<ModelAnswer> {
    if (this.#fallbacks === null) return await this.#call(wanted, listener)
    return await this.#fallbacks.call(wanted, {
      change: async ({ id }) => {
        if (id !== this.credits.model) await this.credits.changeModel(id)
      },
      call: (request) => this.#call(this.#noticing(request), listener),
      hasBegun: () => this.#saidNow !== '' || this.#hasShown,
    })
  }

  /** Notices when the caller receives reasoning or calls: no other model may answer then. */
  #noticing(request: ModelRequest): ModelRequest {
    const { hearReasoning, hearCalls } = request
    const noticed = <Pieces>(hear: (pieces: Pieces) => void | Promise<void>) => {
      return (pieces: Pieces) => {
        this.#hasShown = true
        return hear(pieces)
      }
    }
    return {
      ...request,
      ...(hearReasoning && { hearReasoning: noticed(hearReasoning) }),
      ...(hearCalls && { hearCalls: noticed(hearCalls) }),
    }
  }

  async #call(wanted: ModelRequest, listener: AnswerListener): Promise<ModelAnswer> {
    const request = this.credits.isLimited ? await this.#reserve(wanted) : wanted
    const { messages } = request
    this.#underWay = messages
    this.#saidNow = ''
    this.#calledNow = ''
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
    const [read, text] = [this.#underWay, this.#saidNow + this.#calledNow]
    if (read === null || (text === '' && !disconnected)) return this.#usage
    return sumOf(this.#usage, await this.#ctx.models.countUsage(read, text))
  }

  /** Of all that the model wrote, the answer is this text. */
  replace(text: string, refusedFrom: number | null = null): void {
    this.#said = text
    this.#refusedFrom = refusedFrom
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
  async #inSlot(request: ModelRequest, listener: AnswerListener): Promise<ModelFinish> {
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

  async #answer(request: ModelRequest, listener: AnswerListener): Promise<ModelFinish> {
    const { models } = this.#ctx
    this.#hearRequest?.(request)
    if (this.#stream)
      return await models.stream(this.#hearingCalls(request), (texts, isRefusal = false) =>
        this.#hearAll(texts, isRefusal, listener),
      )
    const answer = await models.complete(request)
    if (answer.reasoning !== undefined) await request.hearReasoning?.([answer.reasoning])
    await listener([this.#hear(answer.text)])
    if (answer.refusal !== undefined) await listener([this.#refuse(answer.refusal)], true)
    return answer
  }

  /** What the model writes of calls is billed, too, if the answer fails. */
  #hearingCalls(request: ModelRequest): ModelRequest {
    const { hearCalls } = request
    if (hearCalls === undefined) return request
    const hear: CallListener = (pieces) => {
      for (const piece of pieces) this.#calledNow += piece.arguments
      return hearCalls(pieces)
    }
    return { ...request, hearCalls: hear }
  }

  #hearAll(
    texts: readonly string[],
    isRefusal: boolean,
    listener: AnswerListener,
  ): void | Promise<void> {
    // Whatever follows a refusal belongs to it.
    const refuses = isRefusal || this.#refusedFrom !== null
    const shown = texts.map((text) => (refuses ? this.#refuse(text) : this.#hear(text)))
    if (this.#said !== '') this.#firstTokenMs ??= this.#ctx.clock.now() - this.credits.startedAt
    return refuses ? listener(shown, true) : listener(shown)
  }

  /** Adds to the answer. @returns the text as the answer shows it: each call starts a paragraph */
  #hear(text: string): string {
    const begins = text !== '' && this.#saidNow === '' && /\S$/.test(this.#said)
    const shown = begins ? `\n\n${text}` : text
    this.#saidNow += text
    this.#said += shown
    return shown
  }

  /** Adds to the refusal at the end of the answer. */
  #refuse(text: string): string {
    if (this.#refusedFrom === null && text !== '') {
      const { content, refusedFrom } = joinRefusal(this.#said, '')
      this.#said = content
      this.#refusedFrom = refusedFrom
    }
    this.#saidNow += text
    this.#said += text
    return text
  }
}
