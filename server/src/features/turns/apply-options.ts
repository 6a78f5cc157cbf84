import type { AgentSettings } from '#features/agents/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { ModelRequest, Models, RequestField } from '#platform/models/model.ts'
import type { RequestOptions, SessionRequest } from './session-request.ts'
import { turnFaults as faults } from './turn-faults.ts'

/** A part of what a request may change: see `allow_request_overrides`. */
type Override = AgentSettings['allow_request_overrides'][number]

const overrideOf: Readonly<Partial<Record<RequestField, Override>>> = {
  tools: 'tools',
  parallelToolCalls: 'tools',
  toolChoice: 'tool_choice',
  responseFormat: 'response_format',
  maxOutputTokens: 'max_tokens',
}

/**
 * The request with the agent's settings as the caller wants them for this turn.
 *
 * @throws Fault field_forbidden, field_out_of_bounds, field_not_supported
 */
export function applyOptions(
  { models }: { readonly models: Pick<Models, 'refusedField'> },
  request: SessionRequest,
  options: RequestOptions,
): SessionRequest {
  const { agent } = request
  const { settings } = agent
  const fields = fieldsOf(options)
  const allowed = settings.allow_request_overrides
  for (const field of fields)
    if (!allowed.includes(overrideOf[field] ?? 'sampling'))
      throw new Fault(faults.field_forbidden, { field })
  requireWithin(settings.temperature_bounds, 'temperature', options.temperature)
  requireWithin(settings.top_p_bounds, 'topP', options.sampling?.topP)
  const [provider = ''] = settings.model.split('/', 1)
  const refused = models.refusedField(provider, demandsOf(options))
  if (refused !== null)
    throw new Fault(faults.field_not_supported, { field: refused, model: agent.appNameId })
  return {
    ...request,
    agent: { ...agent, settings: { ...settings, ...changed(settings, options) } },
  }
}

/** The fields that the caller set. */
export function fieldsOf({ sampling = {}, ...options }: RequestOptions): RequestField[] {
  // The keys of these types, and no others, are fields.
  return [...Object.keys(options), ...Object.keys(sampling)] as RequestField[]
}

/** A value outside is refused, not moved: another one than the caller set would be a silent change. */
function requireWithin(
  bounds: AgentSettings['temperature_bounds'],
  field: RequestField,
  value: number | undefined,
): void {
  if (bounds === null || value === undefined) return
  if (value < bounds.min || value > bounds.max)
    throw new Fault(faults.field_out_of_bounds, { field, min: bounds.min, max: bounds.max })
}

/** The fields that a model must honour. It is free to call no tool, and needs none to make no call. */
function demandsOf(options: RequestOptions): RequestField[] {
  const isFree = options.toolChoice === 'auto' || options.toolChoice === 'none'
  return fieldsOf(options).filter((field) => field !== 'toolChoice' || !isFree)
}

function changed(
  { temperature, temperature_bounds: bounds, max_output_tokens: most }: AgentSettings,
  { temperature: wanted, sampling, maxOutputTokens }: RequestOptions,
): Pick<AgentSettings, 'temperature' | 'max_output_tokens'> {
  // Providers advise against both, and some refuse them together. Where the agent bounds the temperature,
  // the model's own one must not take its place.
  const own = sampling?.topP === undefined || bounds !== null ? temperature : null
  return {
    temperature: wanted ?? own,
    max_output_tokens:
      maxOutputTokens === undefined ? most : Math.min(maxOutputTokens, most ?? Infinity),
  }
}

/** What a model is asked for besides its answer. Tools are added where their calls are made. */
export function modelFields(
  options: RequestOptions,
): Pick<ModelRequest, 'sampling' | 'responseFormat' | 'fields'> {
  const { sampling, responseFormat } = options
  return {
    fields: demandsOf(options),
    ...(sampling === undefined ? {} : { sampling }),
    ...(responseFormat === undefined ? {} : { responseFormat }),
  }
}
