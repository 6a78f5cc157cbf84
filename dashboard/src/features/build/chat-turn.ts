import type { ChatCitation, ChatEvent, ChatToolCall } from '#api/stream-chat.ts'

type Done = Extract<ChatEvent, { readonly type: 'done' }>

/** One question and its answer, as far as it has come. */
export interface ChatTurn {
  readonly id: number
  readonly question: string
  readonly answer: string
  readonly status: 'running' | 'done' | 'stopped' | 'failed'
  readonly calls: readonly ChatToolCall[]
  readonly citations: readonly ChatCitation[]
  /** What it took and cost; null until it is whole. */
  readonly figures: Pick<
    Done,
    'prompt_tokens' | 'completion_tokens' | 'first_token_ms' | 'latency_ms' | 'cost_micros'
  > | null
  /** Why it failed, for people. */
  readonly problem: string | null
}

export function newTurn(id: number, question: string): ChatTurn {
  return {
    id,
    question,
    answer: '',
    status: 'running',
    calls: [],
    citations: [],
    figures: null,
    problem: null,
  }
}

/** The turn after one more event of its answer. */
export function turnAfter(turn: ChatTurn, event: ChatEvent): ChatTurn {
  switch (event.type) {
    case 'start':
      return turn
    case 'text':
      return { ...turn, answer: turn.answer + event.text }
    case 'tool_calls':
      return { ...turn, calls: event.items }
    case 'done':
      return { ...turn, status: 'done', citations: event.citations, figures: event }
    case 'error':
      return { ...turn, status: 'failed', problem: event.error.message }
  }
}

/** Whether the agent waits for a yes or no. */
export function isAsking(turn: ChatTurn | undefined): boolean {
  return (
    turn?.status === 'done' && turn.calls.some(({ status }) => status === 'awaiting_confirmation')
  )
}
