import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ItemOf } from '#api/call-operation.ts'
import { useOperationList } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { EmptyState, ListStates } from '#components/states.tsx'
import { Time } from '#components/time.tsx'
import { VirtualList } from '#components/virtual-list.tsx'
import { formatNumber } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Select } from '#ui/select.tsx'
import { Card, CardHeading } from '#ui/surfaces.tsx'
import { transactionKinds } from '../settings-search.ts'

type Transaction = ItemOf<'list_credit_transactions'>

/** The transactions of a workspace's credits. */
export function TransactionsCard() {
  const workspace = useWorkspace()
  const navigate = useNavigate()
  const { kind } = useSearch({ from: '/settings/billing' })
  const list = useOperationList('list_credit_transactions', {
    workspace_id: workspace.id,
    limit: 50,
    ...(kind === undefined ? {} : { kind }),
  })
  return (
    <Card>
      <CardHeading
        title={t('settings.billing.transactions')}
        actions={
          <Select
            label={t('settings.billing.kind')}
            className="min-w-44"
            choices={[
              { value: 'all', label: t('settings.billing.allKinds') },
              ...transactionKinds.map((one) => ({
                value: one,
                label: t(`settings.billing.kinds.${one}`),
              })),
            ]}
            value={kind ?? 'all'}
            onChange={(next) =>
              void navigate({
                to: '/settings/billing',
                search: (before) => ({ ...before, kind: next === 'all' ? undefined : next }),
                replace: true,
                resetScroll: false,
              })
            }
          />
        }
      />
      <ListStates
        list={list}
        isEmpty={list.items.length === 0}
        empty={
          <EmptyState
            title={t('settings.billing.transactionsEmpty')}
            hint={t('settings.billing.transactionsEmptyHint')}
          />
        }
      >
        <VirtualList
          label={t('settings.billing.transactions')}
          items={list.items}
          keyOf={(one) => one.id}
          rowPixels={64}
          onEnd={list.onEnd}
        >
          {(one) => <TransactionRow transaction={one} />}
        </VirtualList>
      </ListStates>
    </Card>
  )
}

function TransactionRow({ transaction: one }: { readonly transaction: Transaction }) {
  const { prompt_tokens: prompt, completion_tokens: completion, cached_tokens: cached } = one
  return (
    <div className="flex items-center gap-4 border-t border-line py-2.5 text-sm">
      <div className="min-w-0 flex-1">
        <p className="font-medium">{t(`settings.billing.kinds.${one.kind}`)}</p>
        <p className="flex flex-wrap gap-x-3 text-[0.8125rem] text-soft">
          <Time value={one.created_at} />
          {one.model !== null && <span className="font-mono">{one.model}</span>}
          {prompt !== null && completion !== null && (
            <span>{t('settings.billing.tokens', { prompt, completion })}</span>
          )}
          {cached !== null && <span>{t('settings.billing.cached', { count: cached })}</span>}
          {one.note !== null && <span className="break-words">{one.note}</span>}
        </p>
      </div>
      <span className={one.credits > 0 ? 'font-medium text-good tabular-nums' : 'tabular-nums'}>
        {formatNumber(one.credits, { maximumFractionDigits: 4, signDisplay: 'exceptZero' })}
      </span>
    </div>
  )
}
