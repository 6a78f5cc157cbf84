import { useEffect, useRef, useState } from 'react'
import { streamChat } from '#api/stream-chat.ts'
import { fixOf } from '#components/fix-of.ts'
import { messageOf } from '#components/message-of.ts'
import { newTurn, turnsAfter, type ChatTurn } from './chat-turn.ts'

export interface TestChat {
  readonly turns: readonly ChatTurn[]
  readonly isRunning: boolean
  say(question: string): void
  /** Stops the answer and keeps what has arrived. */
  stop(): void
}

export interface Conversation {
  /** Undefined until the service has created it. */
  readonly sessionId: string | undefined
  readonly turns: readonly ChatTurn[]
}

interface ChatOptions {
  onBegin(sessionId: string): void
  readonly before: (() => Promise<void>) | undefined
}

/**
 * A conversation with the agent's draft. The service stores it with the channel `dashboard`.
 *
 * @param stored the turns of the conversation so far
 * @param options `onBegin` is called when the conversation gets its id, `before` before each question
 */
export function useTestChat(
  appId: string,
  stored: Conversation,
  { onBegin, before }: ChatOptions,
): TestChat {
  const [turns, setTurns] = useState(stored.turns)
  const [running, setRunning] = useState<AbortController | null>(null)
  const session = useRef(stored.sessionId)
  const count = useRef(stored.turns.length)
  useEffect(() => () => running?.abort(), [running])

  async function answer(question: string, controller: AbortController): Promise<void> {
    const turn = newTurn(count.current++, question)
    const change = (next: (turn: ChatTurn) => ChatTurn) =>
      setTurns((all) => all.map((one) => (one.id === turn.id ? next(one) : one)))
    setTurns((all) => [...all, turn])
    const { signal } = controller
    const sessionId = session.current
    const input = { appId, message: question, ...(sessionId === undefined ? {} : { sessionId }) }
    try {
      await before?.()
      for await (const event of streamChat(input, signal)) {
        if (signal.aborted) break
        if (event.type === 'start' && session.current !== event.session_id) {
          session.current = event.session_id
          onBegin(event.session_id)
        }
        setTurns((all) => turnsAfter(all, turn.id, event))
      }
    } catch (error) {
      if (!signal.aborted)
        change((one) => ({
          ...one,
          status: 'failed',
          problem: messageOf(error),
          fix: fixOf(error),
        }))
    } finally {
      if (signal.aborted) change((one) => ({ ...one, status: 'stopped' }))
      setRunning((now) => (now === controller ? null : now))
    }
  }

  return {
    turns,
    isRunning: running !== null,
    say(question) {
      if (running !== null || question.trim() === '') return
      const controller = new AbortController()
      setRunning(controller)
      void answer(question, controller)
    },
    stop: () => running?.abort(),
  }
}
