import { useState, type FormEvent, type ReactNode } from 'react'
import type { OutputOf } from '#api/call-operation.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { ConfirmDialog } from '#components/confirm-dialog.tsx'
import { ErrorText } from '#components/error-text.tsx'
import { useDraft } from '#components/use-draft.ts'
import { t } from '#texts/t.ts'
import { readMoney } from '#texts/money.ts'
import { Button } from '#ui/button.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'

export type OrderRecord = OutputOf<'get_order'>

const stale = ['get_order', 'list_orders', 'list_products'] as const

/** Fulfil, refund, cancel: what the order's status and the member's role allow. */
export function OrderActions({ order }: { readonly order: OrderRecord }) {
  const isEditor = useMay('editor')
  const isAdmin = useMay('admin')
  const [opened, setOpened] = useState<'fulfill' | 'refund' | null>(null)
  const [isCanceling, setIsCanceling] = useState(false)
  const cancel = useOperationMutation('cancel_order', { refreshes: stale })
  const number = order.order_number
  const isOpen = order.status === 'confirmed' || order.status === 'processing'
  // Canceled orders too: a refund may have failed after the stock was sold to someone else.
  const isPaid = order.refunded_amount < order.total_amount
  if (opened === 'fulfill') return <FulfillForm order={order} onDone={() => setOpened(null)} />
  if (opened === 'refund') return <RefundForm order={order} onDone={() => setOpened(null)} />
  return (
    <div className="flex flex-wrap justify-end gap-2">
      {isAdmin && isOpen && order.fulfillments.length === 0 && (
        <Button onClick={() => setIsCanceling(true)}>{t('publish.orders.cancel')}</Button>
      )}
      {isAdmin && isPaid && (
        <Button onClick={() => setOpened('refund')}>{t('publish.orders.refund')}</Button>
      )}
      {isEditor && isOpen && (
        <Button look="primary" onClick={() => setOpened('fulfill')}>
          {t('publish.orders.fulfill')}
        </Button>
      )}
      <ConfirmDialog
        open={isCanceling}
        onOpenChange={setIsCanceling}
        title={t('publish.orders.cancelConfirm', { number })}
        confirm={t('publish.orders.cancel')}
        onConfirm={async () => {
          await cancel.mutateAsync({ id: order.id })
          notify({ title: t('publish.orders.canceledDone', { number }) })
        }}
      >
        {t('publish.orders.cancelWarning')}
      </ConfirmDialog>
    </div>
  )
}

interface FormProps {
  readonly order: OrderRecord
  onDone(): void
}

function FulfillForm({ order, onDone }: FormProps) {
  const { value, change, clear } = useDraft(`fulfill ${order.id}`, { carrier: '', tracking: '' })
  const [carrier, tracking] = [value.carrier.trim(), value.tracking.trim()]
  const fulfill = useOperationMutation('fulfill_order', {
    refreshes: stale,
    onSuccess({ order_number: number }) {
      clear()
      notify({ title: t('publish.orders.fulfilledDone', { number }) })
      onDone()
    },
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    fulfill.mutate({
      id: order.id,
      ...(carrier === '' ? {} : { carrier }),
      ...(tracking === '' ? {} : { tracking_number: tracking }),
    })
  }
  return (
    <ActionForm
      onSubmit={submit}
      onCancel={onDone}
      submit={t('publish.orders.fulfill')}
      isBusy={fulfill.isPending}
      error={fulfill.error}
    >
      <p className="text-soft">{t('publish.orders.fulfillHint')}</p>
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label={t('publish.orders.carrier')}>
          <Input
            value={value.carrier}
            onChange={(event) => change({ carrier: event.currentTarget.value })}
          />
        </Field>
        <Field label={t('publish.orders.tracking')}>
          <Input
            value={value.tracking}
            onChange={(event) => change({ tracking: event.currentTarget.value })}
          />
        </Field>
      </div>
    </ActionForm>
  )
}

function RefundForm({ order, onDone }: FormProps) {
  const currency = order.currency.toUpperCase()
  const { value, change, clear } = useDraft(`refund ${order.id}`, { amount: '', reason: '' })
  const [amount, reason] = [value.amount.trim(), value.reason.trim()]
  const [isWrong, setIsWrong] = useState(false)
  const refund = useOperationMutation('refund_order', {
    refreshes: stale,
    onSuccess({ order_number: number }) {
      clear()
      notify({ title: t('publish.orders.refundedDone', { number }) })
      onDone()
    },
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    const minor = readMoney(amount, currency)
    const isAll = amount === ''
    setIsWrong(minor === null && !isAll)
    if (minor === null && !isAll) return
    refund.mutate({
      id: order.id,
      ...(minor === null ? {} : { amount: minor }),
      ...(reason === '' ? {} : { reason }),
    })
  }
  return (
    <ActionForm
      onSubmit={submit}
      onCancel={onDone}
      submit={t('publish.orders.refund')}
      isBusy={refund.isPending}
      error={refund.error}
    >
      <div className="grid gap-5 sm:grid-cols-2">
        <Field
          label={t('publish.orders.refundAmount', { currency })}
          hint={t('publish.orders.refundHint')}
          error={isWrong ? t('publish.products.priceWrong') : undefined}
        >
          <Input
            inputMode="decimal"
            value={value.amount}
            onChange={(event) => change({ amount: event.currentTarget.value })}
          />
        </Field>
        <Field label={t('publish.orders.reason')}>
          <Input
            value={value.reason}
            onChange={(event) => change({ reason: event.currentTarget.value })}
          />
        </Field>
      </div>
    </ActionForm>
  )
}

interface ActionFormProps {
  onSubmit(event: FormEvent): void
  onCancel(): void
  readonly submit: string
  readonly isBusy: boolean
  readonly error: unknown
  readonly children: ReactNode
}

function ActionForm({ onSubmit, onCancel, submit, isBusy, error, children }: ActionFormProps) {
  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-4 rounded-xl border border-line p-4">
      {children}
      {error !== null && (
        <Notice tone="bad">
          <ErrorText error={error} />
        </Notice>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
        <Button look="primary" type="submit" busy={isBusy}>
          {submit}
        </Button>
      </div>
    </form>
  )
}
