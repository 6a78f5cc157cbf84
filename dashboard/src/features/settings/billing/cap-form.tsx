import { useEffect, type FormEvent } from 'react'
import { useOperationList, useOperationMutation, type OperationList } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { ErrorText } from '#components/error-text.tsx'
import { useDraft } from '#components/use-draft.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { DialogActions } from '#ui/dialog.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import type { Cap } from './use-cap-names.ts'

const subjects = [
  'workspace',
  'agent',
  'key',
  'end_user',
] as const satisfies readonly Cap['subject'][]

const blank = {
  subject: 'workspace' as Cap['subject'],
  agent: '',
  key: '',
  period: 'month' as Cap['period'],
  credits: '',
}

type Typed = typeof blank

/** The subject of a cap, its amount and its period. */
export function CapForm({ onDone }: { onDone(): void }) {
  const workspace = useWorkspace()
  const { value, change, clear } = useDraft(`cap-${workspace.id}`, blank)
  const choice = useSubject(value)
  const set = useOperationMutation('set_credit_cap', {
    refreshes: ['list_credit_caps'],
    onSuccess() {
      clear()
      notify({ title: t('settings.billing.capSaved') })
      onDone()
    },
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    const { subject, period, credits } = value
    const id = choice.id === null ? {} : { subject_id: choice.id }
    const amount = { period, credits: Number(credits), workspace_id: workspace.id }
    set.mutate({ subject, ...id, ...amount })
  }
  const creditsIssue = set.error?.issueOf('credits')
  return (
    <form onSubmit={submit} className="flex flex-col gap-5">
      <Field label={t('settings.billing.capSubject')}>
        <Select
          choices={subjects.map((subject) => ({
            value: subject,
            label: t(`settings.billing.capSubjects.${subject}`),
          }))}
          value={value.subject}
          onChange={(subject) => change({ subject })}
        />
      </Field>
      <SubjectFields subject={value.subject} choice={choice} change={change} />
      <Amount value={value} change={change} creditsIssue={creditsIssue} />
      {set.error !== null && creditsIssue === undefined && (
        <Notice tone="bad">
          <ErrorText error={set.error} />
        </Notice>
      )}
      <DialogActions>
        <Button onClick={onDone}>{t('common.cancel')}</Button>
        <Button look="primary" type="submit" busy={set.isPending} disabled={choice.id === ''}>
          {t('settings.billing.capAdd')}
        </Button>
      </DialogActions>
    </form>
  )
}

/** The agents and keys that a cap can apply to. */
function useSubject({ subject, agent, key }: Typed) {
  const workspace = useWorkspace()
  const agents = useOperationList('list_apps', { workspace_id: workspace.id, limit: 100 })
  const agentId = useChosen(agents, agent)
  const keys = useOperationList(
    'list_chat_keys',
    { app_id: agentId, limit: 100 },
    { enabled: subject === 'key' && agentId !== '' },
  )
  const keyId = useChosen(keys, key)
  const ids = { workspace: null, agent: agentId, key: keyId, end_user: '*' }
  return {
    /** Null for the workspace, empty if there is nothing to choose. */
    id: ids[subject],
    agents,
    agentId,
    keys,
    keyId,
  }
}

/**
 * The chosen item of a list, searched on all its pages. If it no longer exists, the first item.
 *
 * @returns empty during the search, and if there is nothing to choose
 */
function useChosen(list: OperationList<{ readonly id: string }>, id: string): string {
  const { items, hasMore, isLoadingMore, error, more } = list
  const isThere = items.some((item) => item.id === id)
  const isWanted = id !== '' && !isThere && hasMore
  useEffect(() => {
    if (isWanted && !isLoadingMore && error === null) more()
  }, [isWanted, isLoadingMore, error, more])
  if (isThere) return id
  return isWanted ? '' : (items[0]?.id ?? '')
}

interface SubjectFieldsProps {
  readonly subject: Cap['subject']
  readonly choice: ReturnType<typeof useSubject>
  change(part: Partial<Typed>): void
}

function SubjectFields({ subject, choice, change }: SubjectFieldsProps) {
  const { agents, agentId, keys, keyId } = choice
  if (subject !== 'agent' && subject !== 'key') return null
  const hasNoKey = subject === 'key' && keyId === '' && !keys.isPending && keys.error === null
  return (
    <>
      <Field label={t('settings.billing.agent')}>
        <Select
          choices={agents.items.map(({ id, name }) => ({ value: id, label: name }))}
          value={agentId}
          onChange={(agent) => change({ agent })}
          onEnd={agents.onEnd}
        />
      </Field>
      {subject === 'key' && keyId !== '' && (
        <Field label={t('settings.billing.key')}>
          <Select
            choices={keys.items.map(({ id, name, last4 }) => ({
              value: id,
              label: `${name} (…${last4})`,
            }))}
            value={keyId}
            onChange={(key) => change({ key })}
            onEnd={keys.onEnd}
          />
        </Field>
      )}
      {hasNoKey && <Notice>{t('settings.billing.capNoKey')}</Notice>}
    </>
  )
}

interface AmountProps {
  readonly value: Typed
  readonly creditsIssue: string | undefined
  change(part: Partial<Typed>): void
}

function Amount({ value, creditsIssue, change }: AmountProps) {
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <Field label={t('settings.billing.capCredits')} error={creditsIssue}>
        <Input
          type="number"
          required
          min={0}
          step="any"
          inputMode="decimal"
          value={value.credits}
          onChange={(event) => change({ credits: event.currentTarget.value })}
        />
      </Field>
      <Field label={t('settings.billing.capPeriod')}>
        <Select
          choices={(['day', 'month'] as const).map((period) => ({
            value: period,
            label: t(`settings.billing.capPeriods.${period}`),
          }))}
          value={value.period}
          onChange={(period) => change({ period })}
        />
      </Field>
    </div>
  )
}
