import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Field, Input, TextArea } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import type { FieldsProps } from './chat-page-fields.tsx'

const fonts = ['inter', 'system', 'serif', 'rounded'] as const
const icons = ['chat', 'question', 'spark'] as const
const white = '#ffffff'
const sides = ['end', 'start'] as const

/** Colours, shapes and the greeting, besides what `ChatPageLooks` has. */
export function LookFields({ value, change }: FieldsProps) {
  return (
    <fieldset className="grid gap-5 sm:grid-cols-2">
      <legend className="mb-4 text-sm font-semibold">{t('look.title')}</legend>
      <OptionalColour
        label={t('look.header')}
        hint={t('look.headerHint')}
        value={value.header_color}
        start={value.background_color || white}
        change={(header_color) => change({ header_color })}
      />
      <OptionalColour
        label={t('look.background')}
        hint={t('look.backgroundHint')}
        value={value.background_color}
        start={white}
        change={(background_color) => change({ background_color })}
      />
      <Field label={t('look.font')}>
        <Select
          choices={fonts.map((one) => ({ value: one, label: t(`look.fonts.${one}`) }))}
          value={value.font}
          onChange={(font) => change({ font })}
        />
      </Field>
      <Field
        label={t('look.corners')}
        hint={t('look.cornersHint', { pixels: value.corner_radius })}
      >
        <Input
          type="range"
          min={0}
          max={24}
          step={1}
          className="accent-accent px-0"
          value={value.corner_radius}
          onChange={(event) => change({ corner_radius: Number(event.currentTarget.value) })}
        />
      </Field>
      <Field label={t('look.icon')}>
        <Select
          choices={icons.map((one) => ({ value: one, label: t(`look.icons.${one}`) }))}
          value={value.widget_icon}
          onChange={(widget_icon) => change({ widget_icon })}
        />
      </Field>
      <Field label={t('look.side')}>
        <Select
          choices={sides.map((side) => ({ value: side, label: t(`widget.sides.${side}`) }))}
          value={value.widget_side}
          onChange={(widget_side) => change({ widget_side })}
        />
      </Field>
      <Field label={t('look.greeting')} hint={t('look.greetingHint')} className="sm:col-span-2">
        <TextArea
          maxLength={2000}
          value={value.greeting}
          onChange={(event) => change({ greeting: event.currentTarget.value })}
        />
      </Field>
    </fieldset>
  )
}

function OptionalColour(props: {
  readonly label: string
  readonly hint: string
  readonly value: string
  /** The colour to begin with; it looks like the standard. */
  readonly start: string
  change(value: string): void
}) {
  const { label, hint, value, start, change } = props
  return (
    <Field label={label} hint={hint}>
      <div className="flex items-center gap-3">
        {value === '' ? (
          <>
            <span className="text-sm text-soft">{t('look.standard')}</span>
            <Button aria-label={`${t('look.choose')}: ${label}`} onClick={() => change(start)}>
              {t('look.choose')}
            </Button>
          </>
        ) : (
          <>
            <Input
              type="color"
              aria-label={label}
              className="max-w-24"
              value={value}
              onChange={(event) => change(event.currentTarget.value)}
            />
            <Button aria-label={`${t('look.reset')}: ${label}`} onClick={() => change('')}>
              {t('look.reset')}
            </Button>
          </>
        )}
      </div>
    </Field>
  )
}
