import { useState, type FormEvent } from 'react'
import { useOperationMutation } from '#api/use-operation.ts'
import { keepRecord } from '#components/use-undoable-delete.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { notify } from '#ui/toast.tsx'
import { commaList } from '../comma-list.ts'
import { variableKey, type Variable } from './variable-key.ts'

export const variableTypes = ['secret', 'string', 'number', 'boolean', 'url'] as const

/** In the place of a secret's hosts. */
export const anyHost = '*'

export type VariableForm = ReturnType<typeof useVariableForm>

/** The form of a variable. It has no draft, because the value may be a secret. */
export function useVariableForm(name: string, variable: Variable | null, onSaved: () => void) {
  const agent = useAgent()
  const stored = variable?.hosts ?? []
  const wasForAny = stored.includes(anyHost)
  const [value, setValue] = useState({
    name: variable?.name ?? name,
    type: variable?.type ?? variableTypes[0],
    value: variable === null || variable.value === null ? '' : String(variable.value),
    description: variable?.description ?? '',
    hosts: wasForAny ? '' : stored.join(', '),
    isForAny: wasForAny,
  })
  const [problem, setProblem] = useState<string | null>(null)
  const saving = {
    refreshes: ['list_app_variables'],
    onSuccess(saved: Variable) {
      keepRecord(variableKey(agent.id, saved.name))
      notify({ title: t('build.variables.saved', { name: saved.name }) })
      onSaved()
    },
  } as const
  const save = useOperationMutation('set_app_variable', saving)
  const allowAny = useOperationMutation('allow_any_host', saving)
  const isSecret = value.type === 'secret'
  const hosts = commaList(value.hosts)
  const isForAny = isSecret && value.isForAny
  // To add hosts to a secret one must know it: the service requires it with the new hosts.
  const hasMoreHosts = !isForAny && !wasForAny && hosts.some((host) => !stored.includes(host))
  const keepsSecret = isSecret && variable?.type === 'secret' && value.value === ''
  return {
    ...value,
    isSecret,
    /** The stored secret is kept unless a new one is typed. */
    hasStored: isSecret && variable?.type === 'secret',
    hasMoreHosts,
    isForAny,
    wasForAny,
    problem,
    error: allowAny.error ?? save.error,
    isSaving: save.isPending || allowAny.isPending,
    change(part: Partial<typeof value>) {
      setProblem(null)
      setValue({ ...value, ...part })
    },
    submit(event: FormEvent) {
      event.preventDefault()
      const number = Number(value.value)
      if (value.type === 'number' && (value.value.trim() === '' || Number.isNaN(number)))
        return setProblem(t('build.variables.number'))
      const given =
        value.type === 'number'
          ? number
          : value.type === 'boolean'
            ? value.value === 'true'
            : value.value
      const { type, description } = value
      const named = { app_id: agent.id, name: value.name.trim(), description }
      if (isForAny && !wasForAny)
        return allowAny.mutate({ ...named, ...(keepsSecret ? {} : { value: value.value }) })
      save.mutate({
        ...named,
        type,
        ...(keepsSecret ? {} : { value: given }),
        // If left out, a secret that may go to any host keeps that.
        ...(isSecret && !isForAny ? { hosts } : {}),
      })
    },
  }
}
