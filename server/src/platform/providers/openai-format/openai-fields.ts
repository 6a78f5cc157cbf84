import type { ModelRequest, RequestField, Sampling } from '#platform/models/model.ts'

const names = {
  topP: 'top_p',
  stop: 'stop',
  seed: 'seed',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  logitBias: 'logit_bias',
  reasoningEffort: 'reasoning_effort',
  verbosity: 'verbosity',
} as const satisfies Record<keyof Sampling, string>

const fields: Readonly<Record<string, RequestField>> = {
  ...Object.fromEntries(Object.entries(names).map(([field, name]) => [name, field])),
  temperature: 'temperature',
  max_tokens: 'maxOutputTokens',
  max_completion_tokens: 'maxOutputTokens',
  tools: 'tools',
  tool_choice: 'toolChoice',
  parallel_tool_calls: 'parallelToolCalls',
  response_format: 'responseFormat',
}

/** The request fields of sampling and of the answer's form; none without them. */
export function wireSampling({
  sampling = {},
  responseFormat,
}: ModelRequest): Record<string, unknown> {
  const wire: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(sampling))
    // The keys of Sampling are those of the table.
    wire[names[field as keyof Sampling]] = value
  if (responseFormat?.type === 'json_object') wire.response_format = responseFormat
  if (responseFormat?.type === 'json_schema') {
    const { type, ...json_schema } = responseFormat
    wire.response_format = { type, json_schema }
  }
  return wire
}

/**
 * The field that a server's refusal names, as OpenAI's errors do: `{"error": {"param": "tools[0]…"}}`.
 */
export function refusedField(body: string): RequestField | null {
  const [, name = ''] = /"param"\s*:\s*"([a-z_]+)/.exec(body) ?? []
  return Object.hasOwn(fields, name) ? (fields[name] ?? null) : null
}
