import { useState } from 'react'
import { useDraft } from '#components/use-draft.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import {
  definitionOf,
  draftOfAction,
  headersOf,
  newAction,
  type Action,
  type ActionDraft,
  type HeaderDraft,
} from './action-draft.ts'

const noHeaders: readonly HeaderDraft[] = []

/** The form of a new or saved action. Its draft contains everything except headers. */
export function useActionForm(action: Action | null) {
  const agent = useAgent()
  const draft = useDraft<ActionDraft>(
    `action ${agent.id} ${action?.id ?? 'new'}`,
    action === null ? newAction : draftOfAction(action),
  )
  const saved = action === null ? noHeaders : headersOf(action)
  const [typed, setTyped] = useState<readonly HeaderDraft[] | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const headers = typed ?? saved
  return {
    value: draft.value,
    headers,
    setHeaders: setTyped,
    isChanged: draft.isChanged || JSON.stringify(headers) !== JSON.stringify(saved),
    /** A problem that is found before the request. */
    problem,
    change(part: Partial<ActionDraft>) {
      setProblem(null)
      draft.change(part)
    },
    clear() {
      draft.clear()
      setTyped(null)
      setProblem(null)
    },
    /** Null if a value is not valid JSON; the form then shows the problem. */
    definition() {
      try {
        return definitionOf(draft.value, headers)
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error
        setProblem(t('build.actions.badJson'))
        return null
      }
    },
  }
}

export type ActionForm = ReturnType<typeof useActionForm>
