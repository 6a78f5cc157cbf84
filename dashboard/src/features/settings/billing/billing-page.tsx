import { useSearch } from '@tanstack/react-router'
import { PageHeading } from '#components/page-heading.tsx'
import { t } from '#texts/t.ts'
import { Notice } from '#ui/surfaces.tsx'
import { CapsCard } from './caps-card.tsx'
import { CreditsCard } from './credits-card.tsx'
import { PlanCard } from './plan-card.tsx'
import { TransactionsCard } from './transactions-card.tsx'

/** /settings/billing */
export function BillingPage() {
  const { checkout } = useSearch({ from: '/settings/billing' })
  return (
    <>
      <PageHeading title={t('settings.billing.title')} hint={t('settings.billing.hint')} />
      <div className="flex flex-col gap-6">
        {checkout !== undefined && (
          <Notice tone={checkout === 'done' ? 'good' : 'neutral'}>
            {t(`settings.billing.checkout.${checkout}`)}
          </Notice>
        )}
        <CreditsCard />
        <PlanCard />
        <CapsCard />
        <TransactionsCard />
      </div>
    </>
  )
}
