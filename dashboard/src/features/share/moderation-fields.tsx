import { t } from '#texts/t.ts'
import { Field, Input } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { Switch } from '#ui/switch.tsx'
import type { FieldsProps } from './chat-page-fields.tsx'
import { LinesField } from './lines-field.tsx'

const failing = ['closed', 'open'] as const

/** What visitors may not write, and what they may not read. */
export function ModerationFields({ value, change }: FieldsProps) {
  return (
    <fieldset className="grid gap-5 sm:grid-cols-2">
      <legend className="mb-4 text-sm font-semibold">{t('chatPage.moderation.title')}</legend>
      <LinesField
        label={t('chatPage.moderation.words')}
        hint={t('chatPage.moderation.wordsHint')}
        value={value.blocked_words}
        change={(blocked_words) => change({ blocked_words })}
      />
      <div className="flex flex-col gap-5">
        <Field label={t('chatPage.moderation.url')} hint={t('chatPage.moderation.urlHint')}>
          <Input
            type="url"
            value={value.moderation_url}
            onChange={(event) => change({ moderation_url: event.currentTarget.value })}
          />
        </Field>
        <Field label={t('chatPage.moderation.fails')}>
          <Select
            choices={failing.map((one) => ({ value: one, label: t(`chatPage.moderation.${one}`) }))}
            value={value.moderation_fails}
            onChange={(moderation_fails) => change({ moderation_fails })}
          />
        </Field>
        <Switch
          label={t('chatPage.moderation.answers')}
          hint={t('chatPage.moderation.answersHint')}
          checked={value.moderate_answers}
          onChange={(moderate_answers) => change({ moderate_answers })}
        />
      </div>
    </fieldset>
  )
}
