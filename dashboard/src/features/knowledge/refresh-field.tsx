import { t } from '#texts/t.ts'
import { Field } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { refreshChoices, type RefreshEvery } from './source-row.tsx'

export interface RefreshFieldProps {
  readonly value: RefreshEvery
  onChange(every: RefreshEvery): void
}

/** How often pages are read again. */
export function RefreshField({ value, onChange }: RefreshFieldProps) {
  return (
    <Field label={t('knowledge.pagesForm.refresh')}>
      <Select
        choices={refreshChoices.map((every) => ({
          value: every,
          label: t(`knowledge.refreshEvery.${every}`),
        }))}
        value={value}
        onChange={onChange}
      />
    </Field>
  )
}
