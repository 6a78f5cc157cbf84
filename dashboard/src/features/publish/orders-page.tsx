import { useNavigate, useSearch } from '@tanstack/react-router'
import { ShoppingBag } from '#ui/icons.ts'
import type { ItemOf } from '#api/call-operation.ts'
import { useOperationList } from '#api/use-operation.ts'
import { EmptyState, ListStates } from '#components/states.tsx'
import { Time } from '#components/time.tsx'
import { VirtualList } from '#components/virtual-list.tsx'
import { useAgent } from '#features/agents/index.ts'
import { formatMoney } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Field } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { Badge, Card } from '#ui/surfaces.tsx'
import { PlaceTestOrder } from './place-test-order.tsx'
import { OrderDialog } from './order-dialog.tsx'
import { orderTones } from './order-tones.ts'
import { orderStatuses, type OrdersSearch } from './publish-search.ts'
import { TestModeNotice } from './test-mode-notice.tsx'

type Order = ItemOf<'list_orders'>

/** /agents/{appId}/publish/catalog/orders */
export function OrdersPage() {
  const agent = useAgent()
  const navigate = useNavigate()
  const { status, order } = useSearch({ from: '/agents/$appId/publish/catalog/orders' })
  const kept = status === undefined ? {} : { status }
  const orders = useOperationList('list_orders', { app_id: agent.id, limit: 50, ...kept })
  const show = (search: OrdersSearch) =>
    void navigate({
      to: '/agents/$appId/publish/catalog/orders',
      params: { appId: agent.app_name_id },
      search,
    })
  return (
    <div className="flex flex-col gap-6">
      <TestModeNotice />
      <div className="flex flex-wrap items-end justify-between gap-3">
        <Field label={t('publish.orders.status')} className="w-56">
          <Select
            choices={[
              { value: 'all', label: t('publish.orders.all') },
              ...orderStatuses.map((one) => ({
                value: one,
                label: t(`publish.orders.statuses.${one}`),
              })),
            ]}
            value={status ?? 'all'}
            onChange={(next) => show(next === 'all' ? {} : { status: next })}
          />
        </Field>
        <PlaceTestOrder onPlaced={(id) => show({ order: id })} />
      </div>
      <ListStates
        list={orders}
        isEmpty={orders.items.length === 0}
        empty={
          <EmptyState
            icon={ShoppingBag}
            title={status === undefined ? t('publish.orders.empty') : t('publish.orders.none')}
            hint={
              status === undefined ? t('publish.orders.emptyHint') : t('publish.orders.noneHint')
            }
          />
        }
      >
        <Card className="py-1 sm:py-1">
          <VirtualList
            label={t('publish.parts.orders')}
            items={orders.items}
            keyOf={(one) => one.id}
            rowPixels={72}
            onEnd={orders.onEnd}
          >
            {(one) => <OrderRow order={one} onOpen={() => show({ ...kept, order: one.id })} />}
          </VirtualList>
        </Card>
      </ListStates>
      <OrderDialog id={order ?? null} onClose={() => show(kept)} />
    </div>
  )
}

function OrderRow({ order, onOpen }: { readonly order: Order; readonly onOpen: () => void }) {
  return (
    <button
      type="button"
      onClick={onOpen}
      className="flex w-full flex-wrap items-center gap-x-4 gap-y-1 border-t border-line in-data-[index=0]:border-t-0 py-3.5 text-left hover:bg-hover"
    >
      <span className="min-w-0 flex-1 basis-48">
        <span className="flex flex-wrap items-center gap-2">
          <span className="font-medium">
            {t('publish.orders.number', { number: order.order_number })}
          </span>
          <Badge tone={orderTones[order.status]}>
            {t(`publish.orders.statuses.${order.status}`)}
          </Badge>
          {order.test && <Badge tone="warn">{t('publish.orders.test')}</Badge>}
        </span>
        <span className="mt-0.5 flex flex-wrap gap-x-3 text-[0.8125rem] text-soft">
          <span className="break-all">
            {order.buyer_email ?? order.buyer_name ?? t('publish.orders.unknownBuyer')}
          </span>
          <Time value={order.created_at} />
        </span>
      </span>
      <span className="text-right">
        <span className="block font-medium tabular-nums">
          {formatMoney(order.total_amount, order.currency)}
        </span>
        {order.refunded_amount > 0 && (
          <span className="block text-[0.8125rem] text-soft">
            {t('publish.orders.refunded', {
              amount: formatMoney(order.refunded_amount, order.currency),
            })}
          </span>
        )}
      </span>
    </button>
  )
}
