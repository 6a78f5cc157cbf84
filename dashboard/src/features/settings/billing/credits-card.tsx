import { useMe } from '#api/me.ts'
import { useOperation } from '#api/use-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'
import { ErrorState, LoadingRows } from '#components/states.tsx'
import { formatDate, formatNumber } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Card, CardHeading } from '#ui/surfaces.tsx'
import { BuyMenu } from './buy-menu.tsx'

/** The remaining and the used credits. */
export function CreditsCard() {
  const workspace = useWorkspace()
  const isOwner = useMay('owner')
  const { for_sale: forSale } = useMe()
  const credits = useOperation('get_credits', { workspace_id: workspace.id })
  if (credits.error !== null)
    return <ErrorState error={credits.error} onRetry={() => credits.refetch()} />
  const found = credits.data
  return (
    <Card>
      <CardHeading
        title={t('settings.billing.credits')}
        hint={t('settings.billing.creditsHint')}
        actions={
          isOwner && forSale.packs.length > 0 ? (
            <BuyMenu
              label={t('settings.billing.buyCredits')}
              items={forSale.packs.map((pack) => ({
                label: formatNumber(pack),
                input: { credits: pack },
              }))}
            />
          ) : undefined
        }
      />
      {found === undefined ? (
        <LoadingRows rows={1} />
      ) : (
        <>
          <dl className="grid gap-4 sm:grid-cols-3">
            <Figure name={t('settings.billing.balance')} value={shown(found.balance)} />
            <Figure name={t('settings.billing.used')} value={shown(found.used_this_month)} />
            <Figure name={t('settings.billing.included')} value={shown(found.included)} />
          </dl>
          {found.included !== null && <UsageBar used={found.used_this_month} of={found.included} />}
          <p className="mt-3 text-[0.8125rem] text-soft">
            {t('settings.billing.monthEnds', { when: formatDate(found.month_ends_at) })}
            {found.reserved > 0 &&
              ` · ${t('settings.billing.reserved', { credits: shown(found.reserved) })}`}
          </p>
        </>
      )}
    </Card>
  )
}

/** Null is unlimited. */
function shown(credits: number | null): string {
  if (credits === null) return t('settings.billing.unlimited')
  return formatNumber(credits, { maximumFractionDigits: 2 })
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt className="text-sm text-soft">{name}</dt>
      <dd className="mt-0.5 text-2xl font-semibold tracking-tight tabular-nums">{value}</dd>
    </div>
  )
}

function UsageBar({ used, of }: { readonly used: number; readonly of: number }) {
  const part = of === 0 ? 0 : Math.min(1, used / of)
  return (
    <div
      role="meter"
      aria-label={t('settings.billing.used')}
      aria-valuemin={0}
      aria-valuemax={of}
      aria-valuenow={Math.min(used, of)}
      className="mt-4 h-2 overflow-hidden rounded-full bg-hover"
    >
      <div
        className={part > 0.9 ? 'h-full bg-bad-strong' : 'h-full bg-accent'}
        style={{ width: `${part * 100}%` }}
      />
    </div>
  )
}
