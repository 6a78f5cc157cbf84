import { useEffect, useRef, useState } from 'react'
import { streamChat, type ChatVariant } from '#api/stream-chat.ts'
import { useMay } from '#api/workspace.ts'
import { fixOf } from '#components/fix-of.ts'
import { messageOf } from '#components/message-of.ts'
import type { Attachment } from './attachment.ts'
import { newTurn, turnsAfter, type ChatTurn } from './chat-turn.ts'

export interface TestChat {
  readonly turns: readonly ChatTurn[]
  readonly isRunning: boolean
  /** @param at answers again from this turn on, in a new conversation that begins with those before */
  say(question: string, attachments: readonly Attachment[], at?: number): void
  readonly sessionId: string | undefined
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
  /** For a comparison: the service stores nothing. */
  readonly variant?: ChatVariant
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
  { onBegin, before, variant }: ChatOptions,
): TestChat {
  const [turns, setTurns] = useState(stored.turns)
  const [running, setRunning] = useState<AbortController | null>(null)
  const [sessionId, setSessionId] = useState(stored.sessionId)
  const session = useRef(stored.sessionId)
  const count = useRef(stored.turns.length)
  const showsPrompt = useMay('editor')
  useEffect(() => () => running?.abort(), [running])

  async function answer(
    question: string,
    attachments: readonly Attachment[],
    controller: AbortController,
    history: ReturnType<typeof historyOf>,
  ): Promise<void> {
    const turn = newTurn(count.current++, question, attachments)
    const change = (next: (turn: ChatTurn) => ChatTurn) =>
      setTurns((all) => all.map((one) => (one.id === turn.id ? next(one) : one)))
    setTurns((all) => [...all, turn])
    const { signal } = controller
    const begun = session.current
    const input = {
      appId,
      message: question,
      attachments,
      variant,
      showsPrompt,
      ...(begun === undefined ? { history } : { sessionId: begun }),
    }
    try {
      await before?.()
      for await (const event of streamChat(input, signal)) {
        if (signal.aborted) break
        const isStored = variant === undefined
        if (isStored && event.type === 'start' && session.current !== event.session_id) {
          session.current = event.session_id
          setSessionId(event.session_id)
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
    sessionId,
    say(question, attachments, at) {
      if (running !== null || question.trim() === '') return
      const controller = new AbortController()
      setRunning(controller)
      if (at !== undefined) {
        session.current = undefined
        // Their answers have other ids in the new conversation.
        setTurns(turns.slice(0, at).map((turn) => ({ ...turn, messageId: null })))
      }
      const known = at ?? (variant === undefined ? 0 : turns.length)
      void answer(question, attachments, controller, historyOf(turns.slice(0, known)))
    },
    stop: () => running?.abort(),
  }
}

/** What was said in turns, without questions that got no answer. */
function historyOf(turns: readonly ChatTurn[]) {
  return turns
    .filter(({ answer }) => answer !== '')
    .flatMap(({ question, attachments, answer }) => [
      { role: 'user' as const, content: question, attachments: (attachments ?? []).map(sent) },
      { role: 'assistant' as const, content: answer, attachments: [] },
    ])
}

function sent({ type, name, url }: Attachment) {
  return { type, name, url }
}
