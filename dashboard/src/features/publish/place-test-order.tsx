import { useOperation, useOperationMutation } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { notifyError } from '#components/notify-error.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'

/** Buys the newest product as a shopping agent would, while payments are in test mode. */
export function PlaceTestOrder({ onPlaced }: { onPlaced(orderId: string): void }) {
  const isEditor = useMay('editor')
  const { id: app_id } = useAgent()
  const settings = useOperation('get_commerce_settings', { app_id })
  const place = useOperationMutation('place_test_order', {
    refreshes: ['list_orders', 'list_products'],
    onSuccess: ({ id }) => onPlaced(id),
  })
  if (!isEditor || settings.data?.payments.provider !== 'test') return null
  return (
    <Button
      busy={place.isPending}
      onClick={() => place.mutate({ app_id }, { onError: notifyError })}
    >
      {t('publish.orders.place')}
    </Button>
  )
}
