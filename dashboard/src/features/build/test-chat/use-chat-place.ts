import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { readTurns } from './stored-turns.ts'
import type { Conversation } from './use-test-chat.ts'

export interface ChatPlace {
  /** Changes with the conversation. */
  readonly key: string
  /** Null while it is loading. */
  readonly conversation: Conversation | null
  /** Whether the URL names a conversation that the agent does not have. */
  readonly isGone: boolean
  readonly error: Error | null
  readAgain(): void
  /** Puts the id of a new conversation into the URL. */
  name(sessionId: string): void
  /** Starts a new conversation. The service keeps the old one. */
  begin(): void
}

/** The conversations that were begun on this page, one after the other, under one key. */
interface Own {
  readonly key: string
  readonly ids: readonly string[]
}

const nothingSaid: Conversation = { sessionId: undefined, turns: [] }

/** The conversation in the URL: the one that was started here, or a stored one. */
export function useChatPlace(appId: string): ChatPlace {
  const navigate = useNavigate()
  const { chat: wanted } = useSearch({ from: '/agents/$appId/build' })
  const [own, setOwn] = useState<Own>()
  const [count, setCount] = useState(0)
  const isStored = wanted !== undefined && own?.ids.includes(wanted) !== true
  const stored = useQuery({
    queryKey: ['test chat', appId, wanted],
    queryFn: ({ signal }) => readTurns(appId, wanted ?? '', signal),
    enabled: isStored,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const show = (chat: string | undefined) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, chat }),
      replace: true,
      resetScroll: false,
    })
  const isGone = isStored && stored.data === null
  const begun = own !== undefined && wanted !== undefined && !isStored ? own.key : `begun ${count}`
  // A conversation keeps its key when it gets its id, or another one because it continues elsewhere.
  const key = isStored && !isGone ? wanted : begun
  return {
    key,
    conversation: !isStored || isGone ? nothingSaid : read(),
    isGone,
    error: isStored ? stored.error : null,
    readAgain: () => void stored.refetch(),
    name(sessionId) {
      // Until the URL changes it names the one before, which must still count as its own.
      const before = own?.key === key ? own.ids : []
      setOwn({ key, ids: [...before, sessionId] })
      show(sessionId)
    },
    begin() {
      setCount(count + 1)
      show(undefined)
    },
  }

  function read(): Conversation | null {
    return stored.data ? { sessionId: wanted, turns: stored.data } : null
  }
}
