/** A tool as it is offered to a model. */
export interface ModelTool {
  /** Letters, digits, `_` and `-`, at most 64, beginning with a letter. */
  readonly name: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Every field is required and plain, so that providers can hold the model to the schema. */
  readonly strict: boolean
}

/** `none` sends the definitions, which calls in earlier messages refer to, but allows no new call. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON as the model wrote it: it may be invalid, or break the schema. */
  readonly arguments: string
  /** Opaque data that the provider wants returned with the result, such as a signature. */
  readonly providerData?: unknown
  /** The provider of this data: no other one gets it. Absent in calls that an older version stored. */
  readonly provider?: string
}

/**
 * A piece of a call as the model writes it. The first one of a call has its id and its name already, and no
 * call begins before those with a lower `n` have begun.
 */
export interface CallPiece {
  /** The place of the call in `ModelFinish.toolCalls`. */
  readonly n: number
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/** Receives pieces of calls; see `TextListener`. What it does not receive is in `ModelFinish.toolCalls`. */
export type CallListener = (pieces: readonly CallPiece[]) => void | Promise<void>
