import { t } from '#texts/t.ts'
import { Field, Input } from '#ui/field.tsx'
import { LinesField } from './lines-field.tsx'
import { originOf } from './origin-of.ts'
import type { FieldsProps } from './chat-page-fields.tsx'

/** Which sites may embed the widget, and when it opens. */
export function WidgetFields({ value, change }: FieldsProps) {
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <LinesField
        label={t('widget.origins')}
        hint={t('widget.originsHint')}
        className="sm:col-span-2"
        value={value.widget_origins}
        change={(widget_origins) => change({ widget_origins })}
        tidy={originOf}
      />
      <Field label={t('widget.after')} hint={t('widget.afterHint')}>
        <Input
          type="number"
          min={0}
          max={3600}
          value={value.open_after_seconds ?? ''}
          onChange={(event) => change({ open_after_seconds: number(event.currentTarget.value) })}
        />
      </Field>
      <Field label={t('widget.scroll')} hint={t('widget.afterHint')}>
        <Input
          type="number"
          min={1}
          max={100}
          value={value.open_at_scroll ?? ''}
          onChange={(event) => change({ open_at_scroll: number(event.currentTarget.value) })}
        />
      </Field>
      <LinesField
        label={t('widget.paths')}
        hint={t('widget.pathsHint')}
        value={value.open_on_paths}
        change={(open_on_paths) => change({ open_on_paths })}
      />
    </div>
  )
}

function number(text: string): number | null {
  const value = Number.parseInt(text, 10)
  return Number.isNaN(value) ? null : value
}
