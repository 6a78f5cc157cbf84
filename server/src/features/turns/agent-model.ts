import type { ModelId, ModelName } from '#kernel/model-id.ts'
import type { ModelAnswer, ModelRequest, ProviderAccess } from '#platform/models/model.ts'

/** A model that can answer for an agent, and how to reach it. */
export interface AgentModel {
  readonly id: ModelId['id']
  readonly model: ModelName
  readonly access: ProviderAccess
  /** Whether it accepts images. */
  readonly sees: boolean
  /** Whether its provider fetches images from their addresses. */
  readonly fetches: boolean
  /** Whether it accepts audio. */
  readonly hears: boolean
}

/** A call of one model. */
export interface Attempt {
  /** The next call is one of this model. */
  change(model: AgentModel): Promise<void>
  call(request: ModelRequest): Promise<ModelAnswer>
  /** Whether the caller has received a part of the answer. */
  hasBegun(): boolean
}

/** Finds the model that answers, for an agent with several. */
export interface ModelChoice {
  call(request: ModelRequest, attempt: Attempt): Promise<ModelAnswer>
}
