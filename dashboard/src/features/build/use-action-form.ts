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

/** The form of an action, saved or new: what is typed is kept by the tab, but for headers. */
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
    /** What is wrong before anything is sent. */
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
    /** Null where JSON was to be typed and was not; the form then says so. */
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
