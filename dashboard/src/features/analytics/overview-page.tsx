import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useOperation } from '#api/use-operation.ts'
import { ErrorState, LoadingRows } from '#components/states.tsx'
import { useAgent } from '#features/agents/index.ts'
import { formatDayStart } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Card, CardHeading } from '#ui/surfaces.tsx'
import { Switch } from '#ui/switch.tsx'
import type { Analytics } from './analytics.ts'
import type { AnalyticsSearch } from './analytics-search.ts'
import { fillGaps } from './fill-gaps.ts'
import { Headlines } from './figure-grid.tsx'
import { FiguresAge } from './figures-age.tsx'
import { answeredText } from './answered-text.ts'
import { MoreFigures } from './more-figures.tsx'
import { NoConversations } from './no-conversations.tsx'
import { RangeFields } from './range-fields.tsx'
import { granularityOf, rangeOf, timeZone, type TimeRange } from './time-range.ts'

/** Loaded after the figures, which do not wait for it. */
const ActivityChart = lazy(async () => ({ default: (await import('./charts.tsx')).ActivityChart }))

/** The lists cover whole days in UTC, unlike the figures. */
const countsOtherDays = new Date().getTimezoneOffset() !== 0

/** How often the figures are fetched again while the page is open. */
const refetchMs = 60_000

/** /agents/{appId}/analytics/overview */
export function OverviewPage() {
  const agent = useAgent()
  const navigate = useNavigate()
  const search = useSearch({ from: '/agents/$appId/analytics/overview' })
  const range = rangeOf(search)
  const { from, to } = range
  const show = (next: AnalyticsSearch) =>
    void navigate({
      to: '/agents/$appId/analytics/overview',
      params: { appId: agent.app_name_id },
      search: next,
      replace: true,
    })
  const figures = useOperation(
    'get_app_analytics',
    {
      app_id: agent.id,
      from,
      to,
      granularity: granularityOf(range),
      time_zone: timeZone,
      ...(search.source === undefined ? {} : { source: search.source }),
      include_tests: search.tests === true,
    },
    { refetchInterval: refetchMs },
  )
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-end gap-x-6 gap-y-3">
        <RangeFields search={search} onChange={show} />
        {/* A channel that is chosen is shown, whichever it is. */}
        {search.source === undefined && (
          <div className="flex min-h-10 items-center">
            <Switch
              label={t('analytics.includeTests')}
              checked={search.tests === true}
              onChange={(next) => {
                const { tests: _, ...others } = search
                show(next ? { ...others, tests: true } : others)
              }}
            />
          </div>
        )}
      </div>
      {figures.error !== null ? (
        <ErrorState error={figures.error} onRetry={figures.refetch} />
      ) : figures.data === undefined ? (
        <LoadingRows />
      ) : (
        <Overview analytics={figures.data} range={range} arrivedAt={figures.arrivedAt} />
      )}
    </div>
  )
}

interface OverviewProps {
  readonly analytics: Analytics
  readonly range: TimeRange
  readonly arrivedAt: number
}

function Overview({ analytics, range, arrivedAt }: OverviewProps) {
  if (isEmpty(analytics.totals) && isEmpty(analytics.previous)) return <NoConversations />
  const { totals, previous } = analytics
  const granularity = granularityOf(range)
  const series = isEmpty(totals) ? null : fillGaps(analytics.series, range, granularity)
  return (
    <>
      <p className="text-sm text-soft">
        {t('analytics.range.compared', { count: range.days })} <FiguresAge at={arrivedAt} />
      </p>
      <Headlines totals={totals} previous={previous} />
      {series === null ? (
        <NoConversations />
      ) : (
        <Suspense fallback={<LoadingRows rows={3} />}>
          <ActivityChart series={series} granularity={granularity} />
        </Suspense>
      )}
      <MoreFigures totals={totals} previous={previous} series={series} granularity={granularity} />
      <div className="grid gap-6 lg:grid-cols-2">
        <TopList
          title={t('analytics.topQuestions')}
          items={analytics.top_questions.map(({ question, conversations }) => ({
            label: withCapital(question),
            count: t('analytics.asked', { count: conversations }),
          }))}
        />
        <TopList
          title={t('analytics.topSources')}
          items={analytics.top_sources.map(({ title, answers }) => ({
            label: title ?? t('analytics.deletedSource'),
            count: t('analytics.answers', { count: answers }),
          }))}
        />
        <TopList
          title={t('analytics.topModels')}
          items={analytics.top_models.map((one) => ({
            label: one.model,
            count: answeredText(one),
          }))}
        />
      </div>
    </>
  )
}

/** Questions are grouped in lower case. */
function withCapital(question: string): string {
  return question.charAt(0).toUpperCase() + question.slice(1)
}

function isEmpty({ messages, orders }: Analytics['totals']): boolean {
  return messages === 0 && orders === 0
}

interface TopListProps {
  readonly title: string
  readonly items: readonly { readonly label: string; readonly count: string }[]
}

function TopList({ title, items }: TopListProps) {
  return (
    <Card>
      <CardHeading
        title={title}
        {...(countsOtherDays ? { hint: t('analytics.utcDays', { time: formatDayStart() }) } : {})}
      />
      {items.length === 0 ? (
        <p className="text-sm text-soft">{t('analytics.nothing')}</p>
      ) : (
        <ol className="divide-y divide-line text-sm">
          {items.map(({ label, count }, index) => (
            // Two questions may be equal after they are shortened.
            <li key={`${index} ${label}`} className="flex justify-between gap-4 py-2">
              <span className="min-w-0 break-words">{label}</span>
              <span className="shrink-0 text-soft">{count}</span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}
