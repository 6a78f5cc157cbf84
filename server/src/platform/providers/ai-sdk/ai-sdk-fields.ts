import type { LanguageModelV4CallOptions, SharedV4Warning } from '@ai-sdk/provider'
import { ModelFailure, type ModelRequest, type RequestField } from '#platform/models/model.ts'

type Fields = Pick<
  LanguageModelV4CallOptions,
  | 'topP'
  | 'stopSequences'
  | 'seed'
  | 'presencePenalty'
  | 'frequencyPenalty'
  | 'reasoning'
  | 'responseFormat'
  | 'providerOptions'
>

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const

/** The call options of sampling, of the answer's form and of parallel calls. */
export function toFields(
  { sampling, responseFormat, parallelToolCalls }: ModelRequest,
  own: NonNullable<Fields['providerOptions']>,
): Fields {
  const { topP, stop, seed, presencePenalty, frequencyPenalty, reasoningEffort } = sampling ?? {}
  const reasoning = efforts.find((effort) => effort === reasoningEffort)
  return {
    ...(topP === undefined ? {} : { topP }),
    ...(stop === undefined ? {} : { stopSequences: [...stop] }),
    ...(seed === undefined ? {} : { seed }),
    ...(presencePenalty === undefined ? {} : { presencePenalty }),
    ...(frequencyPenalty === undefined ? {} : { frequencyPenalty }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(responseFormat === undefined ? {} : { responseFormat: toFormat(responseFormat) }),
    providerOptions:
      parallelToolCalls === false ? { ...own, anthropic: { disableParallelToolUse: true } } : own,
  }
}

function toFormat(format: NonNullable<ModelRequest['responseFormat']>) {
  if (format.type === 'json_object') return { type: 'json' as const }
  const { name, description, schema } = format
  return {
    type: 'json' as const,
    name,
    schema,
    ...(description === undefined ? {} : { description }),
  }
}

/**
 * What a package calls the fields that it may leave out. A form that the provider does not enforce is no
 * loss: the turn checks the answer itself.
 */
const fieldOf: Readonly<Record<string, RequestField>> = {
  temperature: 'temperature',
  topP: 'topP',
  stopSequences: 'stop',
  seed: 'seed',
  presencePenalty: 'presencePenalty',
  frequencyPenalty: 'frequencyPenalty',
  reasoning: 'reasoningEffort',
  toolChoice: 'toolChoice',
}

/**
 * A package leaves out what a model does not accept, or moves an effort to another level, and only warns.
 * What the caller set is never changed in silence; an agent's own settings are.
 *
 * @throws ModelFailure `refused_request` with the field
 */
export function requireHonoured(warnings: readonly SharedV4Warning[], request: ModelRequest): void {
  for (const warning of warnings) {
    if (warning.type !== 'unsupported' && warning.type !== 'compatibility') continue
    const field = fieldOf[warning.feature]
    if (field === undefined || !request.fields?.includes(field)) continue
    throw new ModelFailure('refused_request', `The model does not accept ${field}.`, { field })
  }
}
