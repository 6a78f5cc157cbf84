import { useOperation } from '#api/use-operation.ts'
import { ErrorState, LoadingRows } from '#components/states.tsx'
import { Time } from '#components/time.tsx'
import { formatMoney } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Dialog } from '#ui/dialog.tsx'
import { Badge, Notice } from '#ui/surfaces.tsx'
import { OrderActions, type OrderRecord } from './order-actions.tsx'
import { orderTones } from './order-tones.ts'

export interface OrderDialogProps {
  /** Null while no order is open. */
  readonly id: string | null
  onClose(): void
}

/** One order and its actions. */
export function OrderDialog({ id, onClose }: OrderDialogProps) {
  const order = useOperation('get_order', { id: id ?? '' }, { enabled: id !== null })
  const number = order.data?.order_number ?? '…'
  return (
    <Dialog
      open={id !== null}
      onOpenChange={(open) => !open && onClose()}
      title={t('publish.orders.number', { number })}
      closeLabel={t('common.close')}
      wide
      isRead
    >
      {order.error !== null ? (
        <ErrorState error={order.error} onRetry={order.refetch} />
      ) : order.data === undefined ? (
        <LoadingRows />
      ) : (
        <div className="flex flex-col gap-6 text-sm">
          {order.data.test && (
            <Notice tone="warn" title={t('publish.orders.test')}>
              {t('publish.orders.testHint')}
            </Notice>
          )}
          <Parties order={order.data} />
          <Lines order={order.data} />
          <Sums order={order.data} />
          <History order={order.data} />
          <OrderActions order={order.data} />
        </div>
      )}
    </Dialog>
  )
}

function Parties({ order }: { readonly order: OrderRecord }) {
  const { ship_to: shipTo } = order
  const buyer = [order.buyer_name, order.buyer_email].filter((line) => line !== null)
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <div>
        <h3 className="font-medium">{t('publish.orders.status')}</h3>
        <Badge tone={orderTones[order.status]}>
          {t(`publish.orders.statuses.${order.status}`)}
        </Badge>
        <p className="mt-1 text-soft">
          <Time value={order.created_at} />
        </p>
      </div>
      <div className="min-w-0">
        <h3 className="font-medium">{t('publish.orders.buyer')}</h3>
        <p className="whitespace-pre-line break-words text-soft">
          {buyer.length === 0 ? t('publish.orders.unknownBuyer') : buyer.join('\n')}
        </p>
      </div>
      {shipTo !== null && (
        <div className="min-w-0">
          <h3 className="font-medium">{t('publish.orders.shipTo')}</h3>
          <p className="whitespace-pre-line break-words text-soft">
            {[shipTo.name, ...shipTo.lines, shipTo.country, shipTo.phone]
              .filter((line) => line !== null)
              .join('\n')}
          </p>
        </div>
      )}
    </div>
  )
}

function Lines({ order }: { readonly order: OrderRecord }) {
  return (
    <section>
      <h3 className="font-medium">{t('publish.orders.items')}</h3>
      <ul className="divide-y divide-line">
        {order.line_items.map((line) => (
          <li key={line.id} className="flex flex-wrap justify-between gap-x-4 py-2">
            <span className="min-w-0">
              <span className="break-words">{line.title}</span>
              <span className="block text-[0.8125rem] text-soft">
                {t('publish.orders.fulfilled', {
                  fulfilled: line.fulfilled,
                  quantity: line.quantity,
                })}
                {line.delivery === null ? '' : ` · ${deliveryName(line.delivery)}`}
              </span>
            </span>
            <span className="tabular-nums">
              {t('publish.orders.quantity', {
                quantity: line.quantity,
                amount: formatMoney(line.unit_amount, order.currency),
              })}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function deliveryName(delivery: string): string {
  const known = (['digital', 'shipping', 'pickup'] as const).find((one) => one === delivery)
  return known === undefined ? delivery : t(`publish.products.fulfillments.${known}`)
}

function Sums({ order }: { readonly order: OrderRecord }) {
  const sums = [
    { label: t('publish.orders.subtotal'), amount: order.subtotal_amount },
    { label: t('publish.orders.discount'), amount: -order.discount_amount },
    { label: t('publish.orders.fulfillment'), amount: order.fulfillment_amount },
    { label: t('publish.orders.tax'), amount: order.tax_amount },
  ]
  return (
    <dl className="ml-auto grid w-full max-w-64 grid-cols-[1fr_auto] gap-x-6 gap-y-1 tabular-nums">
      {sums
        .filter(({ amount }, index) => index === 0 || amount !== 0)
        .map(({ label, amount }) => (
          <Sum key={label} label={label} amount={formatMoney(amount, order.currency)} />
        ))}
      <Sum
        label={t('publish.orders.total')}
        amount={formatMoney(order.total_amount, order.currency)}
        isTotal
      />
    </dl>
  )
}

interface SumProps {
  readonly label: string
  readonly amount: string
  readonly isTotal?: boolean
}

function Sum({ label, amount, isTotal = false }: SumProps) {
  const weight = isTotal ? 'font-semibold' : 'text-soft'
  return (
    <>
      <dt className={weight}>{label}</dt>
      <dd className={`text-right ${weight}`}>{amount}</dd>
    </>
  )
}

function refundStatus(status: string): string {
  return isKnownStatus(status) ? t(`publish.orders.refundStatuses.${status}`) : status
}

function isKnownStatus(status: string): status is 'pending' | 'completed' | 'failed' {
  return status === 'pending' || status === 'completed' || status === 'failed'
}

/** Deliveries and refunds. */
function History({ order }: { readonly order: OrderRecord }) {
  return (
    <>
      {order.notes !== null && (
        <section>
          <h3 className="font-medium">{t('publish.orders.notes')}</h3>
          <p className="whitespace-pre-line break-words text-soft">{order.notes}</p>
        </section>
      )}
      {order.fulfillments.length > 0 && (
        <section>
          <h3 className="font-medium">{t('publish.orders.fulfillments')}</h3>
          <ul className="text-soft">
            {order.fulfillments.map((one) => (
              <li key={one.id}>
                <Time value={one.created_at} /> {one.carrier} {one.tracking_number}
              </li>
            ))}
          </ul>
        </section>
      )}
      {order.refunds.length > 0 && (
        <section>
          <h3 className="font-medium">{t('publish.orders.refunds')}</h3>
          <ul className="text-soft">
            {order.refunds.map((refund) => (
              <li key={refund.id}>
                <Time value={refund.created_at} /> {formatMoney(refund.amount, order.currency)}{' '}
                {`(${refundStatus(refund.status)})`} {refund.reason}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
