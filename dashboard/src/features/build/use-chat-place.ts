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

const nothingSaid: Conversation = { sessionId: undefined, turns: [] }

/** The conversation in the URL: the one that was started here, or a stored one. */
export function useChatPlace(appId: string): ChatPlace {
  const navigate = useNavigate()
  const { chat: wanted } = useSearch({ from: '/agents/$appId/build' })
  const [own, setOwn] = useState<string>()
  const [count, setCount] = useState(0)
  const isStored = wanted !== undefined && wanted !== own
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
  return {
    // A conversation keeps its key when it gets its id.
    key: isStored && !isGone ? wanted : `begun ${count}`,
    conversation: !isStored || isGone ? nothingSaid : read(),
    isGone,
    error: isStored ? stored.error : null,
    readAgain: () => void stored.refetch(),
    name(sessionId) {
      setOwn(sessionId)
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
