import { t } from '#texts/t.ts'
import { Field, TextArea } from '#ui/field.tsx'

interface Patterns {
  readonly include: string
  readonly exclude: string
}

export interface PatternFieldsProps {
  readonly value: Patterns
  change(part: Partial<Patterns>): void
}

/** Which pages of a site are read. */
export function PatternFields({ value, change }: PatternFieldsProps) {
  return (
    <>
      <Field label={t('knowledge.pagesForm.include')} hint={t('knowledge.pagesForm.includeHint')}>
        <TextArea
          rows={2}
          value={value.include}
          onChange={(event) => change({ include: event.currentTarget.value })}
        />
      </Field>
      <Field label={t('knowledge.pagesForm.exclude')}>
        <TextArea
          rows={2}
          value={value.exclude}
          onChange={(event) => change({ exclude: event.currentTarget.value })}
        />
      </Field>
    </>
  )
}
