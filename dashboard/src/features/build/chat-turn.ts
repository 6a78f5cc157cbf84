import { fixOfCode, type Fix } from '#components/fix-of.ts'
import type { ChatCitation, ChatEvent, ChatToolCall } from '#api/stream-chat.ts'

type Done = Extract<ChatEvent, { readonly type: 'done' }>

/** One question and its answer so far. */
export interface ChatTurn {
  readonly id: number
  readonly question: string
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

export function newTurn(id: number, question: string): ChatTurn {
  return {
    id,
    question,
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

/** Whether the agent waits for a confirmation. */
export function isAsking(turn: ChatTurn | undefined): boolean {
  return (
    turn?.status === 'done' && turn.calls.some(({ status }) => status === 'awaiting_confirmation')
  )
}
