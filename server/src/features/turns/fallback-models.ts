import { environmentAccess } from '#features/providers/index.ts'
import { Fault } from '#kernel/fault.ts'
import { isNamed } from '#kernel/named-error.ts'
import type { Context } from '#platform/context.ts'
import type {
  ContentPart,
  ModelAnswer,
  ModelFailure,
  ModelFailureReason,
  ModelRequest,
} from '#platform/models/model.ts'
import type { AgentModel, Attempt, ModelChoice } from './agent-model.ts'
import { modelCircuits } from './model-circuits.ts'
import { findModel } from './find-model.ts'
import { isContent, isRemote } from './message-parts.ts'
import { ownMessages, type SessionRequest } from './session-request.ts'

type FallbackContext = Pick<Context, 'db' | 'clock' | 'config' | 'vault' | 'log'> & {
  readonly models: Pick<Context['models'], 'abilities' | 'refusedField' | 'enforces'>
}

/** After these failures another model may answer. */
const passing: readonly ModelFailureReason[] = ['limited', 'unreachable', 'timeout']

/**
 * The models of a turn whose agent has `fallback_models`. The first that answers a call answers the whole
 * turn: its calls of tools carry data of its provider, and the ledger names one model.
 */
export class FallbackModels implements ModelChoice {
  readonly #ctx: FallbackContext
  readonly #input: SessionRequest
  readonly #isHeld: boolean
  readonly #first: AgentModel
  #chosen: AgentModel | null = null

  /** @param isHeld whether the format of the answer is checked before it is shown */
  constructor(ctx: FallbackContext, input: SessionRequest, first: AgentModel, isHeld: boolean) {
    this.#ctx = ctx
    this.#input = input
    this.#first = first
    this.#isHeld = isHeld
  }

  /**
   * Calls the models in their order until one answers. A model whose circuit is open is left out, unless none
   * is left: then the agent's own model is called anyway.
   *
   * @throws the failure of the first model that was called, if all fail
   */
  async call(request: ModelRequest, attempt: Attempt): Promise<ModelAnswer> {
    if (this.#chosen !== null) return await attempt.call(withModel(request, this.#chosen))
    const failures: unknown[] = []
    for await (const model of this.#candidates(request)) {
      if (!modelCircuits(this.#ctx).admits(this.#keyOf(model), this.#ctx.clock.now())) continue
      const answer = await this.#try(model, request, attempt, failures)
      if (answer !== null) return answer
    }
    if (failures.length === 0) {
      const answer = await this.#try(this.#first, request, attempt, failures)
      if (answer !== null) return answer
    }
    // No model answered: the turn counts for the agent's own model.
    await attempt.change(this.#first)
    throw failures[0]
  }

  /** @returns null if another model may answer; the failure is added to `failures` */
  async #try(
    model: AgentModel,
    request: ModelRequest,
    attempt: Attempt,
    failures: unknown[],
  ): Promise<ModelAnswer | null> {
    const key = this.#keyOf(model)
    try {
      await attempt.change(model)
      const answer = await attempt.call(withModel(request, model))
      modelCircuits(this.#ctx).noteSuccess(key)
      this.#chosen = model
      return answer
    } catch (error) {
      this.#noteError(key, error, request.signal.aborted)
      if (request.signal.aborted) throw error
      const mayPass = model === this.#first ? isPassing(error) : isRefusal(error)
      if (!mayPass || attempt.hasBegun()) throw error
      failures.push(error)
      this.#ctx.log.warn({ model: model.id, err: error }, 'another model is asked for the answer')
      return null
    }
  }

  /** A model that refuses a request or answers badly is reachable: that is no outage. */
  #noteError(key: string, error: unknown, isAborted: boolean): void {
    const circuits = modelCircuits(this.#ctx)
    const now = this.#ctx.clock.now()
    if (isAborted || !isNamed<ModelFailure>(error, 'ModelFailure')) circuits.noteNothing(key, now)
    else if (isOutage(error)) circuits.noteFailure(key, now)
    else circuits.noteSuccess(key)
  }

  /** The agent's own model, then those of its fallback models that can do what the request needs. */
  async *#candidates(request: ModelRequest): AsyncGenerator<AgentModel> {
    yield this.#first
    const { agent } = this.#input
    const seen = new Set([this.#first.id])
    for (const id of agent.settings.fallback_models) {
      const model = await findModel(this.#ctx, agent, id)
      if (model instanceof Fault || seen.has(model.id) || !this.#can(model, request)) continue
      seen.add(model.id)
      yield model
    }
  }

  #can({ model, access, sees, fetches, hears }: AgentModel, request: ModelRequest): boolean {
    const { models } = this.#ctx
    const { provider } = access
    const { tools = [], responseFormat, fields = [] } = request
    const has = (wanted: (part: ContentPart) => boolean) =>
      request.messages.some(({ content }) => typeof content !== 'string' && content.some(wanted))
    if (!sees && has(({ type }) => type === 'image')) return false
    if (!fetches && has(isRemote)) return false
    if (!hears && has(({ type }) => type === 'audio')) return false
    // Only the built-in model has no address. It answers from knowledge alone.
    if (access.baseUrl === null && bringsFiles(this.#input)) return false
    const abilities = models.abilities(provider, model)
    // A model of an unknown name is asked: it refuses tools that it cannot call, or leaves them uncalled.
    if (tools.length > 0 && abilities.isKnown && !abilities.tools) return false
    // An answer that is not checked here must come from a provider that enforces its format.
    if (responseFormat !== undefined && !this.#isHeld && !models.enforces(access, responseFormat))
      return false
    return models.refusedField(provider, fields) === null
  }

  /** What fails together: an address, the owner of the key, and the model. */
  #keyOf({ id, access }: AgentModel): string {
    const isOperators = environmentAccess(this.#ctx.config, access.provider) === access
    const owner = isOperators ? '' : this.#input.agent.workspaceId
    return `${access.baseUrl ?? ''}\n${owner}\n${id}`
  }
}

/** The text of a file is part of what the model reads, so only the request shows it. */
function bringsFiles(input: SessionRequest): boolean {
  return ownMessages(input).some(({ parts }) => parts?.some((part) => !isContent(part)))
}

function withModel(request: ModelRequest, { model, access }: AgentModel): ModelRequest {
  return { ...request, model, access }
}

/** A failure of the provider that another call of the same model would meet, too. */
function isOutage(error: unknown): boolean {
  return isNamed<ModelFailure>(error, 'ModelFailure') && passing.includes(error.reason)
}

function isPassing(error: unknown): boolean {
  return isOutage(error) || isNamed<Error>(error, 'SlotsBusy')
}

/** A fallback model that refuses, or that the credits are too few for, is passed over, too. */
function isRefusal(error: unknown): boolean {
  const isModels = isNamed<Error>(error, 'ModelFailure') || isNamed<Error>(error, 'SlotsBusy')
  return isModels || error instanceof Fault
}
