import { integer, unlimitedOr, variable } from './variable.ts'

const rateLimit = unlimitedOr(integer(1, 1_000_000_000))

/** The chat API and its sessions. */
export const chatVariables = {
  CHAT_RATE_LIMIT: variable(
    rateLimit,
    'Maximum number of chat requests per key and minute, or `unlimited`. Further ones get status 429.',
    { fallback: '6000' },
  ),
  CHAT_AGENT_RATE_LIMIT: variable(
    rateLimit,
    'Maximum number of chat requests per agent and minute, whatever their key or surface, or `unlimited`. Further ones get status 429.',
    { fallback: '12000' },
  ),
  SESSION_QUEUE_LIMIT: variable(
    integer(0, 10_000),
    'How many turns may wait for a session. Further ones get status 409.',
    { fallback: '16' },
  ),
  MAX_REQUEST_MESSAGES: variable(
    integer(1, 100_000),
    'Maximum number of messages in a chat request. Requests with more get status 400.',
    { fallback: '2000' },
  ),
  MAX_REQUEST_PARTS: variable(
    integer(1, 1_000_000),
    'Maximum number of content parts in all messages of a chat request. Requests with more get status 400.',
    { fallback: '10000' },
  ),
  MAX_CHAT_FILES: variable(
    integer(0, 1_000),
    'Maximum number of files in a chat request. Requests with more get status 400.',
    { fallback: '10' },
  ),
  MAX_CHAT_FILE_BYTES: variable(
    integer(1),
    'Maximum size of such a file, and of one that is uploaded, in bytes. For a file within the request, `MAX_BODY_BYTES` applies as well.',
    { fallback: '16777216' },
  ),
  MAX_CHAT_FILE_TEXT: variable(
    integer(1, 10_000_000),
    'Maximum length of the text of such a file, in characters. It is stored with the message, in passages of up to a page: each counts with its headings, and as 50 characters more.',
    { fallback: '1000000' },
  ),
  MAX_CHAT_FILES_TOTAL_TEXT: variable(
    integer(1, 10_000_000),
    'Maximum length of the text of all files in a chat request together, counted in the same way. Requests with more get status 400.',
    { fallback: '2000000' },
  ),
  CHAT_FILES_TIMEOUT_MS: variable(
    integer(1, 3_600_000),
    'How long a chat request may take to load and read its files, in milliseconds. Requests that take longer get status 400.',
    { fallback: '120000' },
  ),
  CHAT_FILE_TEXT_PER_TURN: variable(
    integer(1, 10_000_000),
    'How many characters of all files of a session the model reads for one answer. If they are longer together, it reads the passages that fit the question.',
    { fallback: '60000' },
  ),
  UPLOADED_FILE_DAYS: variable(
    integer(1, 36_500),
    'How many days a file of `POST /api/v1/files` is kept after its upload and after each use. `expires_after` of a request can shorten this.',
    { fallback: '30' },
  ),
  CHAT_UPLOADS_AT_ONCE: variable(
    integer(1, 1_000),
    'Files of one workspace that can arrive at `POST /api/v1/files` at the same time in one process. Those of other workspaces can be as many again, and half as many more for workspaces that have none. Others wait like imports.',
    { fallback: '20' },
  ),
  MAX_HISTORY_MESSAGES: variable(
    integer(1, 100_000),
    'How many stored messages of a session the model reads, newest first.',
    { fallback: '200' },
  ),
  MAX_HISTORY_BYTES: variable(
    integer(1),
    'Maximum size of these messages in total, in bytes, without the largest of them, which may hold files; `MAX_BODY_BYTES` if that is larger.',
    { fallback: '4194304' },
  ),
  SUMMARY_INPUT_BYTES: variable(
    integer(1_000, 10_000_000),
    'How many bytes of messages a model reads at once to sum up the older part of a session, for agents with `memory` `summary`.',
    { fallback: '65536' },
  ),
  SUMMARY_MAX_MESSAGES: variable(
    integer(1, 1_000_000),
    'How many messages the first summary of a session covers at most: its older ones are left out.',
    { fallback: '1000' },
  ),
  SUMMARIES_AT_ONCE: variable(
    integer(1, 1000),
    'How many session summaries a process writes at the same time. Workspaces share them fairly.',
    { fallback: '4' },
  ),
  MAX_ITEMS_PAGE_BYTES: variable(
    integer(1),
    'Maximum size of the messages in one page of a list of items (`input_items`, items of a conversation), in bytes. A page has at least one message.',
    { fallback: '4194304' },
  ),
  MAX_REPEATED_BYTES: variable(
    integer(1),
    'Maximum size of what a stored response repeats of its request (`instructions`, `tools`, `text`, `metadata` and short fields), in bytes. A larger request gets status 400.',
    { fallback: '262144' },
  ),
  MAX_BACKGROUND_RESPONSES: variable(
    integer(0, 100_000),
    'How many background responses of an agent may wait or run. Further ones get status 429.',
    { fallback: '100' },
  ),
  MAX_BACKGROUND_STREAMS: variable(
    integer(0, 100_000),
    'How many streams of background responses of an agent may be open in a process. Further ones get status 429. Each reads the database six times a second.',
    { fallback: '100' },
  ),
  BACKGROUND_RESPONSES_AT_ONCE: variable(
    integer(1, 1000),
    'How many background responses a process answers at the same time. Workspaces share them fairly.',
    { fallback: '8' },
  ),
  STREAM_READ_INTERVAL_MS: variable(
    integer(0, 1_000),
    'The longest time, in milliseconds, that streamed text may wait for the text after it. It applies while a process has more than 32 streams: each is then read every 0.5 ms times their number. `0` sends each piece as it arrives.',
    { fallback: '100' },
  ),
  STALLED_READER_TIMEOUT_MS: variable(
    integer(1),
    'How long a client may read nothing of a waiting streamed answer before it is treated as disconnected.',
    { fallback: '60000' },
  ),
} as const
