import type {
  CallerAgent,
  RequestOptions,
  SessionRequest,
  TranscriptMessage,
} from '#features/turns/index.ts'
import type { Continuation, Continued } from './find-continuation.ts'

/** What the job of a background response knows of its request. Stored as JSON until the job has ended. */
export interface RunInput extends Continued {
  readonly messages: readonly TranscriptMessage[]
  readonly instructions: string | null
  readonly endUser: string | null
  readonly keyId: string
  readonly correlationId: string | null
  readonly options?: RequestOptions
  /**
   * The number of the session's last message when the latest attempt began. From then on the request is
   * stored there, and `messages` is empty.
   */
  readonly lastSeq?: number
}

/** The turn of a background response. */
export function turnRequest(
  agent: CallerAgent,
  { messages, instructions, endUser, keyId, correlationId, options }: RunInput,
  { history, endUser: known, ...session }: Continuation,
): SessionRequest {
  return {
    agent,
    source: 'api',
    ...session,
    messages: [...history, ...messages],
    instructions,
    // The text is stored as it is written, for streams that begin later.
    stream: true,
    isRepeatable: true,
    store: true,
    endUser: known ?? endUser,
    keyId,
    correlationId,
    ...(options === undefined ? {} : { options }),
  }
}
