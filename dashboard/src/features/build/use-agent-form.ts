import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { refresh } from '#api/operation-keys.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { useDraft } from '#components/use-draft.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { notify } from '#ui/toast.tsx'
import { draftOf, hasNumberProblem, patchOf, type AgentDraft } from './agent-draft.ts'

/** The form of the page's agent: its draft, and saving it as a new version. */
export function useAgentForm() {
  const agent = useAgent()
  const client = useQueryClient()
  const draft = useDraft<AgentDraft>(`agent-build ${agent.id}`, draftOf(agent))
  const [note, setNote] = useState('')
  const save = useOperationMutation('update_app', {
    refreshes: ['get_app', 'list_apps', 'list_app_versions'],
    onSuccess({ version }) {
      draft.clear()
      setNote('')
      notify({ title: t('build.saving.saved', { version }) })
    },
  })
  const { base } = draft.value
  const patch = patchOf(draft.value, agent)
  const isChanged = Object.keys(patch).length > 0
  return {
    agent,
    value: draft.value,
    /** The first change records the version that is edited. */
    change: (part: Partial<AgentDraft>) =>
      draft.change({ base: isChanged ? base : agent.version, ...part }),
    note,
    setNote,
    isChanged,
    isSaving: save.isPending,
    problem: save.error,
    /** Whether someone else saved a version after the form was opened. */
    hasConflict: isChanged && base !== agent.version && !save.isPending,
    discard() {
      draft.clear()
      save.reset()
    },
    /** Lets the next save overwrite the other version. */
    keepMine: () => draft.change({ base: agent.version }),
    save() {
      if (!isChanged || save.isPending || hasNumberProblem(draft.value)) return
      const given = note.trim()
      save.mutate(
        {
          app_id: agent.id,
          ...patch,
          expected_version: base,
          ...(given === '' ? {} : { note: given }),
        },
        {
          onError({ code }) {
            if (code === 'version_conflict') void refresh(client, ['get_app', 'list_app_versions'])
          },
        },
      )
    },
  }
}

export type AgentForm = ReturnType<typeof useAgentForm>
