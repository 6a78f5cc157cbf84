import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, X } from '#ui/icons.ts'
import type { InputOf } from '#api/call-operation.ts'
import { useOperationList, useOperationMutation } from '#api/use-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'
import { notifyError } from '#components/notify-error.ts'
import { ListStates } from '#components/states.tsx'
import { formatNumber } from '#texts/format.ts'
import { formatDayStart } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Card, CardHeading } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import { CapForm } from './cap-form.tsx'
import { useCapNames, type Cap } from './use-cap-names.ts'

/** The caps on credits. */
export function CapsCard() {
  const workspace = useWorkspace()
  const mayChange = useMay('admin')
  const navigate = useNavigate()
  const { limit: isOpen = false } = useSearch({ from: '/settings/billing' })
  const setIsOpen = (open: boolean) =>
    void navigate({
      to: '/settings/billing',
      search: (before) => ({ ...before, limit: open ? true : undefined }),
      resetScroll: false,
    })
  const caps = useOperationList('list_credit_caps', { workspace_id: workspace.id, limit: 100 })
  const names = useCapNames(caps.items)
  return (
    <Card>
      <CardHeading
        title={t('settings.billing.caps')}
        hint={t('settings.billing.capsHint', { time: formatDayStart() })}
        actions={
          mayChange ? (
            <Button onClick={() => setIsOpen(true)}>
              <Plus aria-hidden />
              {t('settings.billing.capAdd')}
            </Button>
          ) : undefined
        }
      />
      <ListStates
        list={caps}
        rows={1}
        isEmpty={caps.items.length === 0}
        empty={<p className="text-sm text-soft">{t('settings.billing.capsNone')}</p>}
      >
        <ul aria-label={t('settings.billing.caps')} className="divide-y divide-line text-sm">
          {caps.items.map((cap) => (
            <CapRow
              key={`${cap.subject} ${cap.subject_id ?? ''} ${cap.period}`}
              cap={cap}
              name={names.get(cap.subject_id ?? '')}
              mayChange={mayChange}
            />
          ))}
        </ul>
      </ListStates>
      {caps.hasMore && (
        <Button look="quiet" busy={caps.isLoadingMore} onClick={caps.more}>
          {t('common.more')}
        </Button>
      )}
      <Dialog
        open={isOpen && mayChange}
        onOpenChange={setIsOpen}
        title={t('settings.billing.capAdd')}
        description={t('settings.billing.capsHint', { time: formatDayStart() })}
        closeLabel={t('common.close')}
      >
        <CapForm onDone={() => setIsOpen(false)} />
      </Dialog>
    </Card>
  )
}

interface CapRowProps {
  readonly cap: Cap
  /** The name of the agent or key, if it is known. */
  readonly name: string | undefined
  readonly mayChange: boolean
}

function CapRow({ cap, name, mayChange }: CapRowProps) {
  const removal = useCapRemoval(cap)
  const { subject, subject_id: id } = cap
  const period = t(`settings.billing.capPeriods.${cap.period}`).toLowerCase()
  const isEveryone = subject === 'end_user' && id === '*'
  return (
    <li className="flex items-center gap-3 py-2.5">
      <span className="min-w-0 flex-1">
        {t(`settings.billing.capSubjects.${subject}`)}
        {name !== undefined && <span className="block break-words text-soft">{name}</span>}
        {id !== null && !isEveryone && name === undefined && (
          <span className="block font-mono text-xs break-all text-soft">{id}</span>
        )}
      </span>
      <span className="font-medium tabular-nums">
        {t('settings.billing.capLine', { credits: formatNumber(cap.credits), period })}
      </span>
      {mayChange && (
        <Button
          look="quiet"
          size="icon"
          busy={removal.isPending}
          aria-label={t('settings.billing.capRemove')}
          onClick={removal.remove}
        >
          <X aria-hidden />
        </Button>
      )}
    </li>
  )
}

/** Removes a cap immediately and offers to undo it by setting it again. */
function useCapRemoval({ subject, subject_id: id, period, credits }: Cap) {
  const workspace = useWorkspace()
  const set = useOperationMutation('set_credit_cap', { refreshes: ['list_credit_caps'] })
  const capped = { subject, ...(id === null ? {} : { subject_id: id }), period }
  async function put(wanted: InputOf<'set_credit_cap'>['credits']): Promise<boolean> {
    try {
      await set.mutateAsync({ ...capped, credits: wanted, workspace_id: workspace.id })
      return true
    } catch (error) {
      notifyError(error)
      return false
    }
  }
  async function remove(): Promise<void> {
    if (!(await put(null))) return
    notify({
      title: t('settings.billing.capRemoved'),
      action: { label: t('common.undo'), onSelect: () => void put(credits) },
    })
  }
  return { isPending: set.isPending, remove: () => void remove() }
}
