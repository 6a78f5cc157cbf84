import { readAll, type Exchange } from '#platform/outbound-http/exchange.ts'
import { failureOfError, logDetail } from '#platform/providers/failures.ts'
import {
  ModelFailure,
  type ModelAdapter,
  type ModelEvent,
  type ModelRequest,
} from '#platform/models/model.ts'
import { readCompletion, requestBody } from './openai-wire.ts'
import { AnswerStream } from './openai-answer-stream.ts'
import {
  callProvider,
  throwRefusal,
  type DispatcherOf,
  type ProviderTimeouts,
} from '#platform/providers/provider-exchange.ts'

/** Longest answer that is read, in bytes on the wire. */
export const maxAnswerBytes = 16 * 1024 * 1024

export interface Endpoint {
  /** Up to and including `/v1`. */
  readonly baseUrl: string
  readonly dispatcherOf: DispatcherOf
}

/**
 * Any server that speaks OpenAI's chat completions.
 *
 * @param endpointOf where a request goes; it may throw `ModelFailure`
 */
export function createOpenAiCompatible(
  endpointOf: (request: ModelRequest) => Endpoint,
  timeouts: ProviderTimeouts,
): ModelAdapter {
  return {
    async complete(request) {
      const exchange = await open(request, false)
      return readingAnswer(request, async () => {
        const body = await readAll(exchange.packets, maxAnswerBytes)
        return { ...readCompletion(body.toString()), citedPassages: null }
      })
    },
    async *stream(request) {
      const exchange = await open(request, true)
      if (contentType(exchange) === 'application/json') yield await wholeAnswer(exchange, request)
      else yield* readEvents(exchange, request)
    },
  }

  async function open(request: ModelRequest, stream: boolean): Promise<Exchange> {
    const { baseUrl, dispatcherOf } = endpointOf(request)
    const { apiKey } = request.access
    const exchange = await callProvider({
      ...timeouts,
      url: new URL(`${baseUrl}/chat/completions`),
      dispatcherOf,
      headers: {
        'content-type': 'application/json',
        accept: stream ? 'text/event-stream' : 'application/json',
        ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: requestBody(request, stream),
      signal: request.signal,
    })
    const { status } = exchange
    return status >= 200 && status < 300 ? exchange : await throwRefusal(exchange, apiKey)
  }
}

async function* readEvents(
  exchange: Exchange,
  request: ModelRequest,
): AsyncGenerator<readonly ModelEvent[]> {
  const { packets } = exchange
  const answer = new AnswerStream()
  try {
    if (!isEventStream(exchange))
      throw new ModelFailure('bad_answer', `The answer is ${contentType(exchange)}.`)
    while (!answer.finished) {
      const events = await readingAnswer(request, () => answer.readNext(packets))
      if (events.length > 0) yield events
    }
  } finally {
    // Only the end of the body is missing: read it, so that the connection can be reused.
    if (answer.finished) packets.drain()
    else packets.discard()
  }
}

/** Some servers ignore `stream` and answer in one piece. */
async function wholeAnswer(exchange: Exchange, request: ModelRequest): Promise<ModelEvent[]> {
  const { text, ...finish } = await readingAnswer(request, async () =>
    readCompletion((await readAll(exchange.packets, maxAnswerBytes)).toString()),
  )
  return [
    { type: 'text', text },
    { type: 'finish', ...finish, citedPassages: null },
  ]
}

/** Runs a step of reading and turns what goes wrong into the port's failure. */
export async function readingAnswer<T>(
  request: Pick<ModelRequest, 'access' | 'signal'>,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason
    const failure = failureOfError(error, true)
    throw new ModelFailure(failure.reason, logDetail(failure.message, request.access.apiKey), {
      cause: failure.cause,
    })
  }
}

function contentType({ headers }: Exchange): string {
  const [type = ''] = String(headers['content-type'] ?? '').split(';')
  return type.trim().toLowerCase()
}

/** A stream without a content type is given the benefit of the doubt. */
function isEventStream(exchange: Exchange): boolean {
  const type = contentType(exchange)
  return type === '' || type === 'text/event-stream'
}
