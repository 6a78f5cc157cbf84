import { useNavigate, useSearch } from '@tanstack/react-router'
import { TypedFilter } from '#components/typed-filter.tsx'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { auditSearch, type AuditSearch } from '../settings-search.ts'

/** The filters, which are kept in the URL. */
export function AuditFilters() {
  const search = useSearch({ from: '/settings/audit' })
  const navigate = useNavigate()
  const go = (next: AuditSearch) =>
    void navigate({ to: '/settings/audit', search: next, replace: true, resetScroll: false })
  const isFiltered = Object.keys(auditSearch({ ...search })).length > 0
  return (
    <fieldset className="mb-6 grid grid-cols-2 items-end gap-3 lg:grid-cols-[1fr_1fr_11rem_10rem_10rem_auto]">
      <legend className="sr-only">{t('settings.audit.filters')}</legend>
      <TypedFilter
        label={t('settings.audit.person')}
        placeholder={t('settings.audit.everybody')}
        value={search.actor ?? ''}
        onChange={(actor) => go(auditSearch({ ...search, actor }))}
      />
      <TypedFilter
        label={t('settings.audit.action')}
        placeholder={t('settings.audit.actionPlaceholder')}
        value={search.action ?? ''}
        onChange={(action) => go(auditSearch({ ...search, action }))}
      />
      <Field label={t('settings.audit.outcome')} className="col-span-2 lg:col-span-1">
        <Select
          choices={[
            { value: 'all', label: t('settings.audit.allOutcomes') },
            { value: 'done', label: t('settings.audit.outcomes.done') },
            { value: 'refused', label: t('settings.audit.outcomes.refused') },
          ]}
          value={search.outcome ?? 'all'}
          onChange={(outcome) => go(auditSearch({ ...search, outcome }))}
        />
      </Field>
      {(['from', 'to'] as const).map((end) => (
        <Field key={end} label={t(`settings.audit.${end}`)}>
          <Input
            type="date"
            value={search[end] ?? ''}
            onChange={(event) => go(auditSearch({ ...search, [end]: event.currentTarget.value }))}
          />
        </Field>
      ))}
      {isFiltered && (
        <Button look="quiet" onClick={() => go({})}>
          {t('settings.audit.clear')}
        </Button>
      )}
    </fieldset>
  )
}
