import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useLayoutEffect, useRef } from 'react'
import { refresh } from '#api/operation-keys.ts'
import { OperationError } from '#api/operation-error.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { useDraft, type Draft } from '#components/use-draft.ts'
import { draftedAgent, useAgent } from '#features/agents/index.ts'
import {
  canBeSaved,
  changedElsewhere,
  draftOf,
  patchOf,
  touched,
  type AgentDraft,
  type AgentPatch,
} from './agent-draft.ts'

/** How long typing must pause before the draft is saved. */
const pauseMs = 800

/**
 * The form of the page's agent. What is typed is kept in the tab, and saved in the agent's draft when
 * typing pauses.
 */
export function useAgentForm() {
  const agent = useAgent()
  const drafted = draftedAgent(agent)
  const saved = draftOf(drafted)
  const typed = useDraft<AgentDraft>(`agent-build ${agent.id}`, saved)
  const patch = patchOf(typed.value, drafted)
  const isChanged = Object.keys(patch).length > 0
  const hasConflict = isChanged && changedElsewhere(typed.value, saved)
  const isReady = isChanged && !hasConflict && canBeSaved(typed.value)
  const revision = agent.draft?.revision ?? null
  const { now, isPending, error, reset } = useSaving(agent.id, { patch, revision, isReady, typed })
  // The page reads the draft again after a conflict, and decides whether it can be saved then.
  const problem = error?.code === 'draft_conflict' ? null : error
  const mayTry = isReady && !isPending && problem === null
  const waiting = JSON.stringify(patch)
  useEffect(() => {
    if (!mayTry) return undefined
    const timer = setTimeout(() => void now(), pauseMs)
    return () => clearTimeout(timer)
  }, [mayTry, waiting, now])
  return {
    agent,
    drafted,
    value: typed.value,
    change(part: Partial<AgentDraft>) {
      if (problem !== null) reset()
      typed.change(touched(part, typed.value, saved))
    },
    isChanged,
    isSaving: isPending,
    /** Whether something that was typed will not be saved before the person changes it or decides. */
    isStuck: isChanged && (!isReady || problem !== null),
    problem,
    /** Whether someone else changed the same settings of the draft meanwhile. */
    hasConflict,
    /** Deletes what was typed and is not saved. */
    forget() {
      typed.clear()
      reset()
    },
    /** Lets the next save overwrite the other change. */
    keepMine: () => typed.change({ was: {} }),
    save: now,
  }
}

export type AgentForm = ReturnType<typeof useAgentForm>

interface Edited {
  readonly patch: AgentPatch
  /** Of the draft that the patch is based on. */
  readonly revision: string | null
  readonly isReady: boolean
  readonly typed: Draft<AgentDraft>
}

/** Saves what is typed, one request at a time. */
function useSaving(appId: string, edited: Edited) {
  const client = useQueryClient()
  const { mutateAsync, isPending, error, reset } = useOperationMutation('update_app', {
    refreshes: ['get_app'],
  })
  const latest = useRef(edited)
  useLayoutEffect(() => {
    latest.current = edited
  })
  const running = useRef(Promise.resolve())
  const now = useCallback(() => {
    const send = async () => {
      const { patch, revision, isReady, typed } = latest.current
      if (!isReady) return
      const input = { app_id: appId, publish: false, ...patch, expected_draft: revision }
      try {
        typed.settle(draftOf(draftedAgent(await mutateAsync(input))))
        typed.change({ was: {} })
      } catch (problem) {
        // The mutation keeps the error, which the page shows.
        if (problem instanceof OperationError && problem.code === 'draft_conflict')
          await refresh(client, ['get_app'])
      }
    }
    running.current = running.current.then(send)
    return running.current
  }, [appId, client, mutateAsync])
  // Leaving the page does not wait for the pause.
  useEffect(() => () => void now(), [now])
  return { now, isPending, error, reset }
}
