import { ExternalLink } from '#ui/icons.ts'
import { useMe } from '#api/me.ts'
import type { OutputOf } from '#api/call-operation.ts'
import { useOperation, useOperationMutation } from '#api/use-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'
import { notifyError } from '#components/notify-error.ts'
import { ErrorState, LoadingRows } from '#components/states.tsx'
import { formatDate, formatNumber } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Badge, Card, CardHeading } from '#ui/surfaces.tsx'
import { BuyMenu } from './buy-menu.tsx'

type Subscription = OutputOf<'get_subscription'>

/** The plan, its limits and the link to its payment page. */
export function PlanCard() {
  const workspace = useWorkspace()
  const found = useOperation('get_subscription', { workspace_id: workspace.id })
  if (found.error !== null)
    return <ErrorState error={found.error} onRetry={() => found.refetch()} />
  const { data } = found
  return (
    <Card>
      <CardHeading
        title={t('settings.billing.plan')}
        hint={t('settings.billing.planHint')}
        actions={data === undefined ? undefined : <PlanActions subscription={data} />}
      />
      {data === undefined ? (
        <LoadingRows rows={1} />
      ) : (
        <>
          <p className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="text-2xl font-semibold tracking-tight">
              {t(`shell.plans.${data.plan}`)}
            </span>
            <Payment payment={data.payment} />
          </p>
          <PlanLimits subscription={data} />
        </>
      )}
    </Card>
  )
}

function PlanActions({ subscription }: { readonly subscription: Subscription }) {
  const workspace = useWorkspace()
  const isOwner = useMay('owner')
  const { for_sale: forSale } = useMe()
  const portal = useOperationMutation('open_billing_portal', {
    onSuccess: ({ url }) => location.assign(url),
  })
  if (!isOwner) return null
  if (subscription.payment !== null)
    return (
      <Button
        busy={portal.isPending}
        onClick={() => portal.mutate({ workspace_id: workspace.id }, { onError: notifyError })}
      >
        <ExternalLink aria-hidden />
        {t('settings.billing.portal')}
      </Button>
    )
  const others = forSale.plans.filter((plan) => plan !== subscription.plan)
  if (others.length === 0) return null
  return (
    <BuyMenu
      label={t('settings.billing.buy')}
      items={others.map((plan) => ({ label: t(`shell.plans.${plan}`), input: { plan } }))}
    />
  )
}

function Payment({ payment }: Pick<Subscription, 'payment'>) {
  if (payment === null) return null
  const { status, period_ends_at: renews, ends_at: ends } = payment
  return (
    <>
      <Badge tone={status === 'active' || status === 'trialing' ? 'good' : 'warn'}>
        {t('settings.billing.paymentStatus', { status })}
      </Badge>
      <span className="text-sm text-soft">
        {ends !== null
          ? t('settings.billing.ends', { when: formatDate(ends) })
          : renews !== null && t('settings.billing.renews', { when: formatDate(renews) })}
      </span>
    </>
  )
}

function PlanLimits({ subscription }: { readonly subscription: Subscription }) {
  const bounds = [
    ['agents', subscription.max_agents],
    ['sources', subscription.max_sources_per_agent],
    ['members', subscription.max_members],
    ['mcp', subscription.mcp_requests_per_minute],
  ] as const
  return (
    <dl className="divide-y divide-line border-t border-line text-sm">
      {bounds.map(([name, bound]) => (
        <PlanLimit key={name} name={t(`settings.billing.limits.${name}`)}>
          {bound === null ? t('settings.billing.unlimited') : formatNumber(bound)}
        </PlanLimit>
      ))}
      <PlanLimit name={t('settings.billing.limits.chat')}>
        {subscription.chat_api ? t('common.yes') : t('common.no')}
      </PlanLimit>
    </dl>
  )
}

function PlanLimit({ name, children }: { readonly name: string; readonly children: string }) {
  return (
    <div className="flex justify-between gap-4 py-2.5 last:pb-0">
      <dt className="text-soft">{name}</dt>
      <dd className="font-medium tabular-nums">{children}</dd>
    </div>
  )
}
