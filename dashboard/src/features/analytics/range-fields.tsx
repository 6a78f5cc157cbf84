import { t } from '#texts/t.ts'
import { Field, Input } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import type { AnalyticsSearch } from './analytics-search.ts'
import { rangeOf } from './time-range.ts'

export interface RangeFieldsProps {
  readonly search: AnalyticsSearch
  /** Receives the URL state of the period and channel. */
  onChange(next: AnalyticsSearch): void
}

const presets = ['7', '30', '90', 'custom'] as const
const sources = ['api', 'page', 'dashboard', 'mcp'] as const

/** The period and channel of the figures. */
export function RangeFields({ search, onChange }: RangeFieldsProps) {
  const range = rangeOf(search)
  const { days: _days, from: _from, to: _to, ...others } = search
  const preset =
    search.from === undefined ? (String(search.days ?? 30) as '7' | '30' | '90') : 'custom'
  function choose(next: (typeof presets)[number]): void {
    if (next === 'custom') onChange({ ...others, from: range.from, to: range.to })
    else onChange({ ...others, days: next === '7' ? 7 : next === '30' ? 30 : 90 })
  }
  return (
    <div className="flex flex-wrap items-end gap-3">
      <Field label={t('analytics.range.label')} className="w-44">
        <Select
          choices={presets.map((one) => ({ value: one, label: t(`analytics.range.days.${one}`) }))}
          value={preset}
          onChange={choose}
        />
      </Field>
      {preset === 'custom' &&
        (['from', 'to'] as const).map((end) => (
          <Field key={end} label={t(`analytics.range.${end}`)} className="w-40">
            <Input
              type="date"
              value={range[end]}
              onChange={(event) => {
                const { value } = event.currentTarget
                if (value !== '')
                  onChange({ ...others, from: range.from, to: range.to, [end]: value })
              }}
            />
          </Field>
        ))}
      <Field label={t('analytics.range.source')} className="w-40">
        <Select
          choices={[
            { value: 'all', label: t('analytics.range.all') },
            ...sources.map((one) => ({ value: one, label: t(`analytics.sources.${one}`) })),
          ]}
          value={search.source ?? 'all'}
          onChange={(next) => {
            const { source: _, ...time } = search
            onChange(next === 'all' ? time : { ...time, source: next })
          }}
        />
      </Field>
    </div>
  )
}
