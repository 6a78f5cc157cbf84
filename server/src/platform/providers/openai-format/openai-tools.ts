import type { CallPiece, ModelRequest, ToolCall, ToolChoice } from '#platform/models/model.ts'
import { argumentsOf } from '#platform/providers/tool-arguments.ts'

/** A tool call in a message, or a piece of one in a stream. */
export interface WireCall {
  /** Its position among the answer's calls; null if a server leaves it out. */
  readonly index: number | null
  readonly id: string | null
  readonly name: string
  readonly arguments: string
  readonly providerData?: unknown
}

/** The request fields that offer tools; none without tools. */
export function wireTools({
  tools,
  toolChoice,
  parallelToolCalls,
}: ModelRequest): Record<string, unknown> {
  if (tools === undefined || tools.length === 0) return {}
  return {
    tools: tools.map(({ name, description, parameters, strict }) => ({
      type: 'function',
      // Servers without strict mode may refuse the field, so it is sent only where it is true.
      function: { name, description, parameters, ...(strict ? { strict } : {}) },
    })),
    ...(toolChoice === undefined || toolChoice === 'auto'
      ? {}
      : { tool_choice: wireChoice(toolChoice) }),
    ...(parallelToolCalls === undefined ? {} : { parallel_tool_calls: parallelToolCalls }),
  }
}

function wireChoice(choice: ToolChoice): unknown {
  return typeof choice === 'object' ? { type: 'function', function: choice } : choice
}

/** @param to the provider that receives the call */
export function wireCall(
  { id, name, arguments: written, providerData, provider }: ToolCall,
  to: string,
): unknown {
  // Google's server in this format sends a call's signature here and expects it back.
  const isOwn = providerData !== undefined && (provider ?? to) === to
  const extra = isOwn ? { extra_content: providerData } : {}
  // Ollama and other servers refuse the whole conversation if any call's arguments are no JSON object,
  // even if that call was answered with an error.
  const asObject = argumentsOf(written) === null ? '{}' : written
  return { id, type: 'function', function: { name, arguments: asObject }, ...extra }
}

const noCalls: readonly WireCall[] = []

/** The tool calls of a message or of a chunk's delta. */
export function readWireCalls(message: Record<string, unknown> | null): readonly WireCall[] {
  const calls = message?.tool_calls
  if (!Array.isArray(calls) || calls.length === 0) return noCalls
  return calls.flatMap((call: unknown) => readCall(call) ?? [])
}

function readCall(value: unknown): WireCall | null {
  const call = record(value)
  const asked = record(call?.function)
  if (call === null || asked === null) return null
  const { index, id, extra_content: providerData } = call
  return {
    index: Number.isSafeInteger(index) ? Number(index) : null,
    id: typeof id === 'string' && id !== '' ? id : null,
    name: typeof asked.name === 'string' ? asked.name : '',
    arguments: textOf(asked.arguments),
    ...(providerData === undefined || providerData === null ? {} : { providerData }),
  }
}

/** OpenAI writes arguments as JSON text, some servers as an object. */
function textOf(written: unknown): string {
  if (typeof written === 'string') return written
  return written === undefined || written === null ? '' : JSON.stringify(written)
}

/** Calls of one answer that are kept; no model needs more. */
const maxCalls = 128

/**
 * Assembles streamed tool calls from their pieces. A piece belongs to the call with its index;
 * without an index, an id begins a new call and any other piece continues the last one.
 */
export class CallAssembly {
  /** The calls in the order in which they began. */
  readonly calls: { -readonly [Field in keyof WireCall]: WireCall[Field] }[] = []
  /** How much of the arguments of each call has been passed on; no entry before the call has begun. */
  readonly #passedOn: number[] = []

  take(piece: WireCall): void {
    const place = this.#placeOf(piece)
    const call = this.calls[place]
    if (call === undefined) {
      if (place < maxCalls) this.calls.push({ ...piece })
      return
    }
    call.id ??= piece.id
    // Names come whole: some servers repeat them in every piece.
    if (call.name === '') call.name = piece.name
    call.arguments += piece.arguments
    if (piece.providerData !== undefined) call.providerData = piece.providerData
  }

  /** What has come since the last call. A call whose id or name has not come holds back those after it. */
  newPieces(): CallPiece[] {
    const pieces: CallPiece[] = []
    for (const [n, { id, name, arguments: written }] of this.calls.entries()) {
      if (id === null || name === '') break
      const from = this.#passedOn[n]
      if (from === written.length) continue
      pieces.push({ n, id, name, arguments: written.slice(from ?? 0) })
      this.#passedOn[n] = written.length
    }
    return pieces
  }

  #placeOf({ index, id }: WireCall): number {
    const count = this.calls.length
    if (index === null) return id === null ? Math.max(0, count - 1) : count
    const known = this.calls.findIndex((call) => call.index === index)
    return known === -1 ? count : known
  }
}

export function record(value: unknown): Record<string, unknown> | null {
  // An object read from JSON has string keys and unknown values.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
}
