import { useOperation } from '#api/use-operation.ts'
import { ErrorState, LoadingRows } from '#components/states.tsx'
import { formatDay, formatDayStart, formatNumber } from '#texts/format.ts'
import { t } from '#texts/t.ts'

/** Which sites have loaded the widget, and how often. */
export function WidgetSites({ appId }: { readonly appId: string }) {
  const { data, error, refetch } = useOperation('get_widget_sites', { app_id: appId })
  return (
    <section className="mt-6 border-t border-line pt-5">
      <h3 className="text-sm font-semibold">{t('widget.sites')}</h3>
      <p className="mb-3 text-sm text-soft">{t('widget.sitesHint')}</p>
      {error !== null && <ErrorState error={error} onRetry={refetch} />}
      {error === null && data === undefined && <LoadingRows />}
      {data?.items.length === 0 && <p className="text-sm">{t('widget.noSites')}</p>}
      {data !== undefined && data.items.length > 0 && <Sites items={data.items} />}
    </section>
  )
}

interface Site {
  readonly origin: string
  readonly loads: number
  readonly visits: number
  readonly last_day: string
}

function Sites({ items }: { readonly items: readonly Site[] }) {
  return (
    <div className="overflow-x-auto" role="region" aria-label={t('widget.sites')} tabIndex={0}>
      <table className="w-full text-start text-sm">
        <thead className="text-soft">
          <tr>
            <th className="py-1.5 pe-4 text-start font-medium">{t('widget.site')}</th>
            <th className="py-1.5 pe-4 text-end font-medium">{t('widget.loads')}</th>
            <th className="py-1.5 pe-4 text-end font-medium">{t('widget.visits')}</th>
            <th className="py-1.5 text-end font-medium">
              {t('widget.lastDay', { time: formatDayStart() })}
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ origin, loads, visits, last_day }) => (
            <tr key={origin} className="border-t border-line">
              <td className="py-1.5 pe-4 break-all">{origin || t('widget.refused')}</td>
              <td className="py-1.5 pe-4 text-end tabular-nums">{formatNumber(loads)}</td>
              <td className="py-1.5 pe-4 text-end tabular-nums">{formatNumber(visits)}</td>
              <td className="py-1.5 text-end whitespace-nowrap tabular-nums">
                {formatDay(last_day)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
