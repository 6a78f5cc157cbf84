/** What a scripted model says, in the three wire formats that model providers speak. */
export interface ModelScript {
  readonly reply: string | readonly string[]
  /** `stop` by default. */
  readonly finishReason?: 'stop' | 'length' | 'content_filter'
  /** Null leaves usage out. */
  readonly usage?: { readonly prompt: number; readonly completion: number } | null
  /** Pause before the response begins, in milliseconds. */
  readonly firstByteMs?: number
  /** Pause after each chunk of a stream, in milliseconds. Without it a stream is one packet or few. */
  readonly chunkMs?: number
}

export interface WireAnswer {
  readonly stream: boolean
  readonly headers: Readonly<Record<string, string | number>>
  readonly whole: Buffer
  readonly chunks: readonly Buffer[]
  readonly end: Buffer
}

/** Serialised once per script and wire: a benchmark measures its client, not `JSON.stringify`. */
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
  const pieces = typeof script.reply === 'string' ? [script.reply] : script.reply
  const usage = script.usage === undefined ? { prompt: 9, completion: 5 } : script.usage
  const say = { openai, anthropic, google }[kind](pieces, script.finishReason ?? 'stop', usage)
  const whole = Buffer.from(JSON.stringify(say.whole))
  const chunks = say.events.map((event) => Buffer.from(event))
  // Without pacing everything leaves in one write, as from a server that was ready.
  const together = script.chunkMs === undefined
  return {
    stream,
    headers: { 'content-type': 'application/json', 'content-length': whole.length },
    whole,
    chunks: together ? [] : chunks,
    end: together ? Buffer.concat([...chunks, Buffer.from(say.end)]) : Buffer.from(say.end),
  }
}

type Usage = { readonly prompt: number; readonly completion: number } | null

interface Said {
  readonly whole: unknown
  readonly events: readonly string[]
  readonly end: string
}

const sse = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`

function openai(pieces: readonly string[], finishReason: string, usage: Usage): Said {
  const head = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'mock' }
  const counted = usage && {
    prompt_tokens: usage.prompt,
    completion_tokens: usage.completion,
    total_tokens: usage.prompt + usage.completion,
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
          message: { role: 'assistant', content: pieces.join('') },
          finish_reason: finishReason,
        },
      ],
      ...(counted && { usage: counted }),
    },
    events: [
      chunk({ role: 'assistant', content: '' }),
      ...pieces.map((content) => chunk({ content })),
      chunk({}, finishReason),
    ],
    end: `${counted ? sse({ ...head, object: 'chat.completion.chunk', choices: [], usage: counted }) : ''}data: [DONE]\n\n`,
  }
}

const anthropicReasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  content_filter: 'refusal',
}

function anthropic(pieces: readonly string[], finishReason: string, usage: Usage): Said {
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'mock' }
  const reason = anthropicReasons[finishReason]
  const input = usage?.prompt ?? 0
  const output = usage?.completion ?? 0
  const event = (type: string, rest: object) => `event: ${type}\n${sse({ type, ...rest })}`
  return {
    whole: {
      ...head,
      content: [{ type: 'text', text: pieces.join('') }],
      stop_reason: reason,
      stop_sequence: null,
      usage: { input_tokens: input, output_tokens: output },
    },
    events: [
      event('message_start', {
        message: {
          ...head,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: input, output_tokens: 0 },
        },
      }),
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      ...pieces.map((text) =>
        event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
      ),
      event('content_block_stop', { index: 0 }),
      event('message_delta', {
        delta: { stop_reason: reason, stop_sequence: null },
        usage: { output_tokens: output },
      }),
    ],
    end: event('message_stop', {}),
  }
}

const googleReasons: Readonly<Record<string, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
}

function google(pieces: readonly string[], finishReason: string, usage: Usage): Said {
  const counted = usage && {
    promptTokenCount: usage.prompt,
    candidatesTokenCount: usage.completion,
    totalTokenCount: usage.prompt + usage.completion,
  }
  const answer = (text: string, reason?: string) => ({
    candidates: [
      {
        content: { role: 'model', parts: [{ text }] },
        index: 0,
        ...(reason === undefined ? {} : { finishReason: reason }),
      },
    ],
    ...(counted && { usageMetadata: counted }),
  })
  return {
    whole: answer(pieces.join(''), googleReasons[finishReason]),
    events: pieces.map((text) => sse(answer(text))),
    end: sse(answer('', googleReasons[finishReason])),
  }
}
