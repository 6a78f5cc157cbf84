import { Plus, X } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import type { ItemOf } from '#api/call-operation.ts'
import { useOperationList, useOperationMutation } from '#api/use-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'
import { messageOf } from '#components/message-of.ts'
import { notifyError } from '#components/notify-error.ts'
import { useDraft } from '#components/use-draft.ts'
import { formatNumber } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { Card, CardHeading, Notice } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'

type Cap = ItemOf<'list_credit_caps'>

/** What limits the use of credits. */
export function CapsCard() {
  const workspace = useWorkspace()
  const mayChange = useMay('admin')
  const [isOpen, setIsOpen] = useState(false)
  const caps = useOperationList('list_credit_caps', { workspace_id: workspace.id, limit: 100 })
  return (
    <Card>
      <CardHeading
        title={t('settings.billing.caps')}
        hint={t('settings.billing.capsHint')}
        actions={
          mayChange ? (
            <Button onClick={() => setIsOpen(true)}>
              <Plus aria-hidden />
              {t('settings.billing.capAdd')}
            </Button>
          ) : undefined
        }
      />
      {caps.error !== null && <Notice tone="bad">{messageOf(caps.error)}</Notice>}
      {caps.items.length === 0 ? (
        <p className="text-sm text-soft">{t('settings.billing.capsNone')}</p>
      ) : (
        <ul aria-label={t('settings.billing.caps')} className="divide-y divide-line text-sm">
          {caps.items.map((cap) => (
            <CapRow
              key={`${cap.subject} ${cap.subject_id ?? ''} ${cap.period}`}
              cap={cap}
              mayChange={mayChange}
            />
          ))}
        </ul>
      )}
      <Dialog
        open={isOpen}
        onOpenChange={setIsOpen}
        title={t('settings.billing.capAdd')}
        description={t('settings.billing.capsHint')}
        closeLabel={t('common.close')}
      >
        <CapForm onDone={() => setIsOpen(false)} />
      </Dialog>
    </Card>
  )
}

function CapRow({ cap, mayChange }: { readonly cap: Cap; readonly mayChange: boolean }) {
  const workspace = useWorkspace()
  const remove = useOperationMutation('set_credit_cap', {
    refreshes: ['list_credit_caps'],
    onSuccess: () => void notify({ title: t('settings.billing.capRemoved') }),
  })
  const period = t(`settings.billing.capPeriods.${cap.period}`).toLowerCase()
  return (
    <li className="flex items-center gap-3 py-2.5">
      <span className="min-w-0 flex-1">
        {t(`settings.billing.capSubjects.${cap.subject}`)}
        {cap.subject_id !== null && cap.subject_id !== '*' && (
          <span className="block font-mono text-xs break-all text-soft">{cap.subject_id}</span>
        )}
      </span>
      <span className="font-medium tabular-nums">
        {t('settings.billing.capLine', { credits: formatNumber(cap.credits), period })}
      </span>
      {mayChange && (
        <Button
          look="quiet"
          size="icon"
          busy={remove.isPending}
          aria-label={t('settings.billing.capRemove')}
          onClick={() =>
            remove.mutate(
              {
                subject: cap.subject,
                ...(cap.subject_id === null ? {} : { subject_id: cap.subject_id }),
                period: cap.period,
                credits: null,
                workspace_id: workspace.id,
              },
              { onError: notifyError },
            )
          }
        >
          <X aria-hidden />
        </Button>
      )}
    </li>
  )
}

const blank = {
  subject: 'workspace' as 'workspace' | 'agent' | 'end_user',
  agent: '',
  period: 'month' as Cap['period'],
  credits: '',
}

function CapForm({ onDone }: { onDone(): void }) {
  const workspace = useWorkspace()
  const { value, change, clear } = useDraft(`cap-${workspace.id}`, blank)
  const agents = useOperationList('list_apps', { workspace_id: workspace.id, limit: 100 })
  const set = useOperationMutation('set_credit_cap', {
    refreshes: ['list_credit_caps'],
    onSuccess() {
      clear()
      notify({ title: t('settings.billing.capSaved') })
      onDone()
    },
  })
  const agent = value.agent === '' ? (agents.items[0]?.id ?? '') : value.agent
  function submit(event: FormEvent): void {
    event.preventDefault()
    const ids = { workspace: {}, agent: { subject_id: agent }, end_user: { subject_id: '*' } }
    const { subject, period, credits } = value
    const whom = { subject, ...ids[subject], period }
    set.mutate({ ...whom, credits: Number(credits), workspace_id: workspace.id })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-5">
      <Field label={t('settings.billing.capSubject')}>
        <Select
          choices={(['workspace', 'agent', 'end_user'] as const).map((subject) => ({
            value: subject,
            label: t(`settings.billing.capSubjects.${subject}`),
          }))}
          value={value.subject}
          onChange={(subject) => change({ subject })}
        />
      </Field>
      {value.subject === 'agent' && (
        <Field label={t('settings.billing.agent')}>
          <Select
            choices={agents.items.map(({ id, name }) => ({ value: id, label: name }))}
            value={agent}
            onChange={(next) => change({ agent: next })}
          />
        </Field>
      )}
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label={t('settings.billing.capCredits')} error={set.error?.issueOf('credits')}>
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
      {set.error !== null && set.error.issueOf('credits') === undefined && (
        <Notice tone="bad">{messageOf(set.error)}</Notice>
      )}
      <DialogActions>
        <Button onClick={onDone}>{t('common.cancel')}</Button>
        <Button look="primary" type="submit" busy={set.isPending}>
          {t('settings.billing.capAdd')}
        </Button>
      </DialogActions>
    </form>
  )
}
