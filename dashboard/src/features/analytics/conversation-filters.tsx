import { TypedFilter } from '#components/typed-filter.tsx'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import type { ConversationsSearch } from './analytics-search.ts'

export interface ConversationFiltersProps {
  readonly search: ConversationsSearch
  onChange(next: ConversationsSearch): void
}

/** The filters, which are kept in the URL. */
export function ConversationFilters({ search, onChange }: ConversationFiltersProps) {
  const { query, rating, show, user, ...rest } = search
  const typed = [query, rating, show, user]
  return (
    <fieldset className="grid grid-cols-2 items-end gap-3 lg:grid-cols-[2fr_1fr_1fr_1fr_auto]">
      <legend className="sr-only">{t('analytics.filters.label')}</legend>
      <TypedFilter
        label={t('analytics.filters.query')}
        value={query ?? ''}
        asTyped
        onChange={(next) => {
          const { query: _, ...others } = search
          onChange(next === '' ? others : { ...others, query: next })
        }}
      />
      <TypedFilter
        label={t('analytics.filters.endUser')}
        value={user ?? ''}
        onChange={(next) => {
          const { user: _, ...others } = search
          onChange(next === '' ? others : { ...others, user: next })
        }}
      />
      <Field label={t('analytics.filters.rating')}>
        <Select
          choices={(['all', 'up', 'down'] as const).map((value) => ({
            value,
            label: t(`analytics.filters.ratings.${value}`),
          }))}
          value={rating ?? 'all'}
          onChange={(next) => {
            const { rating: _, ...others } = search
            onChange(next === 'all' ? others : { ...others, rating: next })
          }}
        />
      </Field>
      <Field label={t('analytics.filters.show')}>
        <Select
          choices={(['all', 'error', 'unanswered'] as const).map((value) => ({
            value,
            label: t(`analytics.filters.shows.${value}`),
          }))}
          value={show ?? 'all'}
          onChange={(next) => {
            const { show: _, ...others } = search
            onChange(next === 'all' ? others : { ...others, show: next })
          }}
        />
      </Field>
      {typed.some((one) => one !== undefined) && (
        <Button look="quiet" onClick={() => onChange(rest)}>
          {t('analytics.filters.clear')}
        </Button>
      )}
    </fieldset>
  )
}
