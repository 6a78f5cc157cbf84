import { fixOfCode, type Fix } from '#components/fix-of.ts'
import type { ChatCitation, ChatEvent, ChatPrompt, ChatToolCall } from '#api/stream-chat.ts'
import type { Attachment } from './attachment.ts'

type Done = Extract<ChatEvent, { readonly type: 'done' }>

/** One question and its answer so far. */
export interface ChatTurn {
  readonly id: number
  readonly question: string
  /** Null if the question had some and was loaded: their contents are not. */
  readonly attachments: readonly Attachment[] | null
  /** What was sent to the model, for editors; empty if the turn was loaded. */
  readonly prompts: readonly ChatPrompt[]
  /** The id of the answer, known once it is stored. */
  readonly messageId: string | null
  readonly rating: 'up' | 'down' | null
  readonly answer: string
  readonly status: 'running' | 'done' | 'stopped' | 'failed'
  readonly calls: readonly ChatToolCall[]
  readonly citations: readonly ChatCitation[]
  /** Duration, tokens and cost; null until the answer is complete. */
  readonly figures: Pick<
    Done,
    'prompt_tokens' | 'completion_tokens' | 'first_token_ms' | 'latency_ms' | 'cost_micros'
  > | null
  /** Why it failed, for people. */
  readonly problem: string | null
  /** The page that fixes it. */
  readonly fix: Fix | null
}

export function newTurn(
  id: number,
  question: string,
  attachments: readonly Attachment[] | null = [],
): ChatTurn {
  return {
    id,
    question,
    attachments,
    prompts: [],
    messageId: null,
    rating: null,
    answer: '',
    status: 'running',
    calls: [],
    citations: [],
    figures: null,
    problem: null,
    fix: null,
  }
}

/**
 * All turns after another event of one answer. A call that an earlier answer asked to confirm is
 * updated in that earlier answer.
 */
export function turnsAfter(
  turns: readonly ChatTurn[],
  id: number,
  event: ChatEvent,
): readonly ChatTurn[] {
  if (event.type !== 'tool_calls')
    return turns.map((turn) => (turn.id === id ? turnAfter(turn, event) : turn))
  const changed = new Map(event.items.map((call) => [call.id, call]))
  const others = turns.filter((turn) => turn.id !== id)
  const elsewhere = new Set(others.flatMap(({ calls }) => calls.map((call) => call.id)))
  const items = event.items.filter((call) => !elsewhere.has(call.id))
  return turns.map((turn) =>
    turn.id === id
      ? turnAfter(turn, { ...event, items })
      : { ...turn, calls: turn.calls.map((call) => changed.get(call.id) ?? call) },
  )
}

/** The turn after another event of its answer. */
function turnAfter(turn: ChatTurn, event: ChatEvent): ChatTurn {
  switch (event.type) {
    case 'start':
      return { ...turn, messageId: event.message_id }
    case 'text':
      return { ...turn, answer: turn.answer + event.text }
    case 'prompt':
      return { ...turn, prompts: [...turn.prompts, wholePrompt(turn.prompts.at(-1), event)] }
    case 'tool_calls':
      return { ...turn, calls: event.items }
    case 'done':
      return { ...turn, status: 'done', citations: event.citations, figures: event }
    case 'error':
      return {
        ...turn,
        status: 'failed',
        problem: event.error.message,
        fix: fixOfCode(event.error.code),
      }
  }
}

/** A request that begins with messages of the one before it, with all its messages. */
function wholePrompt(before: ChatPrompt | undefined, prompt: ChatPrompt): ChatPrompt {
  const kept = before?.messages.slice(0, prompt.kept) ?? []
  return { ...prompt, messages: [...kept, ...prompt.messages] }
}

/** Whether a turn can be answered again: the files up to it are still known. */
export function isRepeatable(turns: readonly ChatTurn[], at: number): boolean {
  return turns.slice(0, at + 1).every(({ attachments }) => attachments !== null)
}

/** Whether the agent waits for a confirmation. */
export function isAsking(turn: ChatTurn | undefined): boolean {
  return (
    turn?.status === 'done' && turn.calls.some(({ status }) => status === 'awaiting_confirmation')
  )
}
