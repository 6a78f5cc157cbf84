import { Link } from '@tanstack/react-router'
import type { ItemOf } from '#api/call-operation.ts'
import { useOperationList, useOperationMutation } from '#api/use-operation.ts'
import { notifyError } from '#components/notify-error.ts'
import { ListStates } from '#components/states.tsx'
import { Time } from '#components/time.tsx'
import { VirtualList } from '#components/virtual-list.tsx'
import { useAgent } from '#features/agents/index.ts'
import { formatNext } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Badge, Card, CardHeading } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'

type Delivery = ItemOf<'list_webhook_deliveries'>

const tones = { pending: 'accent', delivered: 'good', failed: 'bad' } as const
/** The polling interval while a delivery is pending. */
const refetchMs = 3000

/** The deliveries to all endpoints, newest first. */
export function DeliveriesCard({ mayChange }: { readonly mayChange: boolean }) {
  const agent = useAgent()
  const deliveries = useOperationList(
    'list_webhook_deliveries',
    { app_id: agent.id, limit: 50 },
    {
      refetchInterval: (items) =>
        items.some(({ status }) => status === 'pending') ? refetchMs : false,
    },
  )
  // The card above has loaded them already.
  const endpoints = useOperationList('list_webhook_endpoints', { app_id: agent.id, limit: 100 })
  const redeliver = useOperationMutation('redeliver_webhook', {
    refreshes: ['list_webhook_deliveries'],
    onSuccess: () => void notify({ title: t('publish.webhooks.redelivered') }),
  })
  return (
    <Card>
      <CardHeading
        title={t('publish.webhooks.deliveries')}
        hint={t('publish.webhooks.deliveriesHint')}
      />
      <ListStates
        list={deliveries}
        rows={2}
        isEmpty={deliveries.items.length === 0}
        empty={<p className="text-sm text-soft">{t('publish.webhooks.noDeliveries')}</p>}
      >
        <VirtualList
          label={t('publish.webhooks.deliveries')}
          items={deliveries.items}
          keyOf={(delivery) => delivery.id}
          rowPixels={72}
          onEnd={deliveries.onEnd}
        >
          {(delivery) => (
            <DeliveryRow
              delivery={delivery}
              url={endpoints.items.find(({ id }) => id === delivery.endpoint_id)?.url}
              onRedeliver={
                mayChange && delivery.status !== 'pending'
                  ? () => redeliver.mutate({ id: delivery.id }, { onError: notifyError })
                  : undefined
              }
            />
          )}
        </VirtualList>
      </ListStates>
    </Card>
  )
}

interface DeliveryRowProps {
  readonly delivery: Delivery
  /** The URL of the endpoint; undefined if the endpoint was deleted. */
  readonly url: string | undefined
  readonly onRedeliver: (() => void) | undefined
}

function DeliveryRow({ delivery, url, onRedeliver }: DeliveryRowProps) {
  const agent = useAgent()
  const { status, response_status: answered, next_attempt_at: next } = delivery
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line py-3">
      <div className="min-w-0 flex-1 basis-52 text-sm">
        <p className="flex flex-wrap items-center gap-2">
          <Link
            to="/agents/$appId/publish/catalog/orders"
            params={{ appId: agent.app_name_id }}
            search={{ order: delivery.order_id }}
            className="rounded font-medium hover:underline"
          >
            {t(`publish.webhooks.events.${delivery.event_type}`)}
          </Link>
          <Badge tone={tones[status]}>{t(`publish.webhooks.statuses.${status}`)}</Badge>
        </p>
        <p className="mt-0.5 flex flex-wrap gap-x-3 text-[0.8125rem] text-soft">
          <Time value={delivery.created_at} />
          {url !== undefined && <span className="font-mono break-all">{url}</span>}
          <span>{t('publish.webhooks.attempts', { count: delivery.attempts })}</span>
          {answered !== null && (
            <span>{t('publish.webhooks.answered', { status: String(answered) })}</span>
          )}
          {delivery.error !== null && <span className="break-words">{delivery.error}</span>}
          {status === 'pending' && next !== null && (
            <span>{t('publish.webhooks.next', { when: formatNext(next) })}</span>
          )}
        </p>
      </div>
      {onRedeliver !== undefined && (
        <Button size="small" onClick={onRedeliver}>
          {t('publish.webhooks.redeliver')}
        </Button>
      )}
    </div>
  )
}
