import { google } from './google-wire.ts'
import { inPieces, sse, type Said, type Usage, type WrittenCall } from './written-answer.ts'

type FinishReason = 'stop' | 'length' | 'content_filter' | 'tool_calls'

export interface ScriptedCall {
  /** `call_<index>` by default. */
  readonly id?: string
  readonly name: string
  /** A string is sent unchanged, even if it is not JSON. */
  readonly arguments?: object | string
  /** What a compatible server adds to the call, which it wants back. */
  readonly extra?: object
}

/** The answers of a scripted model, in the wire formats of the three model APIs. */
export interface ModelScript {
  readonly reply: string | readonly string[]
  /** Tools that the model requests after its reply. */
  readonly toolCalls?: readonly ScriptedCall[]
  /** `stop` by default, or `tool_calls` with tool calls. */
  readonly finishReason?: FinishReason
  /** Null omits the usage. */
  readonly usage?: Usage
  /** What the model thinks before its reply. */
  readonly reasoning?: string
  /** How it refuses after its reply, in OpenAI's format. */
  readonly refusal?: string
  /** The end of a stream is sent when it resolves. */
  readonly endsAfter?: Promise<void>
  /** Refuses the request with this status instead. */
  readonly status?: number
  /** Pause before the response begins, in milliseconds. */
  readonly firstByteMs?: number
  /** The answer begins when it resolves. */
  readonly after?: Promise<void>
  /**
   * Pause after each chunk of a stream, in milliseconds. Without it a stream is one or a few
   * packets.
   */
  readonly chunkMs?: number
}

export interface WireAnswer {
  readonly stream: boolean
  readonly headers: Readonly<Record<string, string | number>>
  readonly whole: Buffer
  readonly chunks: readonly Buffer[]
  readonly end: Buffer
}

/**
 * Serialized once per script and wire format: a benchmark measures its client, not
 * `JSON.stringify`.
 */
const serialised = new WeakMap<ModelScript, Map<string, WireAnswer>>()

/** The answer to a request, chosen by its path. */
export function wireAnswer(
  path: string,
  body: Readonly<Record<string, unknown>>,
  script: ModelScript,
): WireAnswer {
  const stream = body.stream === true || path.includes(':streamGenerateContent')
  const kind = path.includes('/messages')
    ? 'anthropic'
    : path.includes('enerateContent')
      ? 'google'
      : 'openai'
  const wantsUsage = kind !== 'openai' || !stream || includesUsage(body)
  const key = `${kind} ${stream} ${wantsUsage}`
  const answers = serialised.get(script) ?? new Map<string, WireAnswer>()
  serialised.set(script, answers)
  const known = answers.get(key)
  if (known !== undefined) return known
  const made = make(kind, stream, wantsUsage ? script : { ...script, usage: null })
  answers.set(key, made)
  return made
}

function includesUsage({ stream_options: options }: Readonly<Record<string, unknown>>): boolean {
  return typeof options === 'object' && options !== null && 'include_usage' in options
}

function make(kind: 'openai' | 'anthropic' | 'google', stream: boolean, script: ModelScript) {
  const said = typeof script.reply === 'string' ? [script.reply] : script.reply
  // A model that requests tools may send no text.
  const pieces = script.toolCalls === undefined ? said : said.filter(Boolean)
  const usage = script.usage === undefined ? { prompt: 9, completion: 5 } : script.usage
  const calls = (script.toolCalls ?? []).map((call, place) => ({
    id: call.id ?? `call_${place}`,
    name: call.name,
    ...(call.extra !== undefined && { extra: call.extra }),
    written:
      typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {}),
  }))
  const finishReason = script.finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop')
  const { reasoning = '', refusal = '' } = script
  const say =
    kind === 'openai'
      ? openai(pieces, finishReason, usage, calls, { reasoning, refusal })
      : { anthropic, google }[kind](pieces, finishReason, usage, calls, reasoning)
  const whole = Buffer.from(JSON.stringify(say.whole))
  const chunks = say.events.map((event) => Buffer.from(event))
  // Without pauses everything is sent in one write, as by a server that had the whole answer.
  const together = script.chunkMs === undefined && script.endsAfter === undefined
  return {
    stream,
    headers: { 'content-type': 'application/json', 'content-length': whole.length },
    whole,
    chunks: together ? [] : chunks,
    end: together ? Buffer.concat([...chunks, Buffer.from(say.end)]) : Buffer.from(say.end),
  }
}

function openai(
  pieces: readonly string[],
  finishReason: string,
  usage: Usage,
  calls: readonly WrittenCall[],
  { reasoning, refusal }: { readonly reasoning: string; readonly refusal: string },
): Said {
  const head = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'mock' }
  const counted = usage && {
    prompt_tokens: usage.prompt,
    completion_tokens: usage.completion,
    total_tokens: usage.prompt + usage.completion,
    ...(usage.cached !== undefined && { prompt_tokens_details: { cached_tokens: usage.cached } }),
    ...(usage.reasoning !== undefined && {
      completion_tokens_details: { reasoning_tokens: usage.reasoning },
    }),
  }
  const chunk = (delta: unknown, finish: string | null = null) =>
    sse({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
    })
  return {
    whole: {
      ...head,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: pieces.join('') || null,
            ...(reasoning !== '' && { reasoning_content: reasoning }),
            ...(refusal !== '' && { refusal }),
            ...(calls.length > 0 && { tool_calls: calls.map(openaiCall) }),
          },
          finish_reason: finishReason,
        },
      ],
      ...(counted && { usage: counted }),
    },
    events: [
      chunk({ role: 'assistant', content: '' }),
      ...(reasoning === ''
        ? []
        : inPieces(reasoning).map((text) => chunk({ reasoning_content: text }))),
      ...pieces.map((content) => chunk({ content })),
      ...(refusal === '' ? [] : inPieces(refusal).map((text) => chunk({ refusal: text }))),
      ...calls.flatMap((call, index) => openaiPieces(call, index).map((delta) => chunk(delta))),
      chunk({}, finishReason),
    ],
    end: `${counted ? sse({ ...head, object: 'chat.completion.chunk', choices: [], usage: counted }) : ''}data: [DONE]\n\n`,
  }
}

function openaiCall({ id, name, written, extra }: WrittenCall) {
  const added = extra === undefined ? {} : { extra_content: extra }
  return { id, type: 'function', function: { name, arguments: written }, ...added }
}

/** The id and name come first, then the arguments in pieces. */
function openaiPieces({ written, ...call }: WrittenCall, index: number) {
  return [
    { tool_calls: [{ index, ...openaiCall({ ...call, written: '' }) }] },
    ...inPieces(written).map((text) => ({
      tool_calls: [{ index, function: { arguments: text } }],
    })),
  ]
}

const anthropicReasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  content_filter: 'refusal',
  tool_calls: 'tool_use',
}

function anthropic(
  pieces: readonly string[],
  finishReason: string,
  usage: Usage,
  calls: readonly WrittenCall[],
  reasoning: string,
): Said {
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'mock' }
  const reason = anthropicReasons[finishReason]
  const cached = usage?.cached ?? 0
  // Anthropic counts the cached tokens beside the others.
  const input = {
    input_tokens: (usage?.prompt ?? 0) - cached,
    ...(cached > 0 && { cache_read_input_tokens: cached, cache_creation_input_tokens: 0 }),
  }
  const output = {
    output_tokens: usage?.completion ?? 0,
    ...(usage?.reasoning !== undefined && {
      output_tokens_details: { thinking_tokens: usage.reasoning },
    }),
  }
  // Anthropic signs what a model thought, and requires it with the results of its calls.
  const signature = 'signed'
  const thought = reasoning === '' ? [] : [{ type: 'thinking', thinking: reasoning, signature }]
  const first = thought.length
  const event = (type: string, rest: object) => `event: ${type}\n${sse({ type, ...rest })}`
  return {
    whole: {
      ...head,
      content: [
        ...thought,
        ...(pieces.length > 0 ? [{ type: 'text', text: pieces.join('') }] : []),
        ...calls.map(({ id, name, written }) => ({
          type: 'tool_use',
          id,
          name,
          input: JSON.parse(written),
        })),
      ],
      stop_reason: reason,
      stop_sequence: null,
      usage: { ...input, ...output },
    },
    events: [
      event('message_start', {
        message: {
          ...head,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...input, output_tokens: 0 },
        },
      }),
      ...thought.flatMap(({ type, thinking }) => [
        event('content_block_start', {
          index: 0,
          content_block: { type, thinking: '', signature: '' },
        }),
        ...inPieces(thinking).map((text) =>
          event('content_block_delta', {
            index: 0,
            delta: { type: 'thinking_delta', thinking: text },
          }),
        ),
        event('content_block_delta', { index: 0, delta: { type: 'signature_delta', signature } }),
        event('content_block_stop', { index: 0 }),
      ]),
      event('content_block_start', { index: first, content_block: { type: 'text', text: '' } }),
      ...pieces.map((text) =>
        event('content_block_delta', { index: first, delta: { type: 'text_delta', text } }),
      ),
      event('content_block_stop', { index: first }),
      ...calls.flatMap(({ id, name, written }, place) => {
        const index = first + place + 1
        const content_block = { type: 'tool_use', id, name, input: {} }
        return [
          event('content_block_start', { index, content_block }),
          ...inPieces(written).map((partial_json) =>
            event('content_block_delta', {
              index,
              delta: { type: 'input_json_delta', partial_json },
            }),
          ),
          event('content_block_stop', { index }),
        ]
      }),
      event('message_delta', {
        delta: { stop_reason: reason, stop_sequence: null },
        usage: output,
      }),
    ],
    end: event('message_stop', {}),
  }
}
