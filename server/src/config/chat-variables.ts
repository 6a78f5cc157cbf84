import { integer, variable } from './variable.ts'

/** The chat API and its sessions. */
export const chatVariables = {
  CHAT_RATE_LIMIT: variable(
    integer(1).optional(),
    'Chat requests a minute per key; unset, no limit.',
  ),
  SESSION_QUEUE_LIMIT: variable(
    integer(0, 10_000),
    'Turns that may wait for one session before the next is answered 409.',
    {
      fallback: '16',
    },
  ),
  MAX_REQUEST_MESSAGES: variable(
    integer(1, 100_000),
    'How many messages one chat request may carry; one with more is answered 400.',
    { fallback: '2000' },
  ),
  MAX_REQUEST_PARTS: variable(
    integer(1, 1_000_000),
    'How many content parts the messages of one chat request may hold together; one with more is answered 400.',
    { fallback: '10000' },
  ),
  MAX_HISTORY_MESSAGES: variable(
    integer(1, 100_000),
    'How many stored messages of a session the model reads, newest first.',
    { fallback: '200' },
  ),
  MAX_HISTORY_BYTES: variable(
    integer(1),
    'How many bytes these messages may have together; `MAX_BODY_BYTES` where that is more.',
    { fallback: '4194304' },
  ),
  STALLED_READER_TIMEOUT_MS: variable(
    integer(1),
    'How long a caller may take nothing of a streamed answer that waits for them; then they count as hung up.',
    { fallback: '60000' },
  ),
} as const
