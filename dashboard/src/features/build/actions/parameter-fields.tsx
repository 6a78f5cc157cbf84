import { Plus, X } from '#ui/icons.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Checkbox } from '#ui/checkbox.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { Card, CardHeading } from '#ui/surfaces.tsx'
import { newParameter, places, sources, types, type ParameterDraft } from './action-draft.ts'
import { ParameterValue } from './parameter-value.tsx'
import type { ActionForm } from './use-action-form.ts'

const maxParameters = 50

/** The parameters as cards, because a table with this many columns does not fit on a phone. */
export function ParameterFields({ form }: { readonly form: ActionForm }) {
  const { parameters } = form.value
  const set = (next: readonly ParameterDraft[]) => form.change({ parameters: next })
  return (
    <Card>
      <CardHeading
        title={t('build.actions.parameters')}
        hint={
          parameters.length === 0
            ? t('build.actions.noParameters')
            : t('build.actions.parametersHint')
        }
      />
      <ol className="flex flex-col gap-3">
        {parameters.map((parameter, index) => (
          // Rows have no identity other than their position.
          <li key={index}>
            <Parameter
              number={index + 1}
              parameter={parameter}
              onChange={(part) => set(parameters.with(index, { ...parameter, ...part }))}
              onRemove={() => set(parameters.toSpliced(index, 1))}
            />
          </li>
        ))}
      </ol>
      {parameters.length < maxParameters && (
        <Button
          size="small"
          look="quiet"
          className="mt-2 -ml-3"
          onClick={() => set([...parameters, { ...newParameter, ...nextPathKey(form) }])}
        >
          <Plus aria-hidden />
          {t('build.actions.addParameter')}
        </Button>
      )}
    </Card>
  )
}

/** A new parameter starts as a `{key}` of the URL that has no parameter yet. */
function nextPathKey({ value: { url, parameters } }: ActionForm): Partial<ParameterDraft> {
  const inUrl = [...url.replaceAll(/\{\{.*?\}\}/g, '').matchAll(/\{([^{}]+)\}/g)]
  const missing = inUrl
    .map(([, key]) => key)
    .find((key) => !parameters.some((one) => one.in === 'path' && one.key === key))
  return missing === undefined ? {} : { in: 'path', key: missing, required: true }
}

interface ParameterProps {
  readonly number: number
  readonly parameter: ParameterDraft
  onChange(part: Partial<ParameterDraft>): void
  onRemove(): void
}

function Parameter({ number, parameter, onChange, onRemove }: ParameterProps) {
  return (
    <fieldset className="min-w-0 rounded-xl border border-line p-4">
      <legend className="sr-only">{t('build.actions.parameter', { number })}</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('build.actions.key')}>
          <Input
            required
            maxLength={200}
            spellCheck={false}
            className="font-mono text-[0.8125rem]"
            value={parameter.key}
            onChange={(event) => onChange({ key: event.currentTarget.value })}
          />
        </Field>
        <Field label={t('build.actions.place')}>
          <Select
            choices={places.map((one) => ({
              value: one,
              label: t(`build.actions.places.${one}`),
            }))}
            value={parameter.in}
            onChange={(place) => onChange({ in: place })}
          />
        </Field>
        <Field label={t('build.actions.type')}>
          <Select
            choices={types.map((one) => ({ value: one, label: t(`build.actions.types.${one}`) }))}
            value={parameter.type}
            onChange={(type) => onChange({ type })}
          />
        </Field>
        <Field label={t('build.actions.source')}>
          <Select
            choices={sources.map((one) => ({
              value: one,
              label: t(`build.actions.sources.${one}`),
            }))}
            value={parameter.source}
            onChange={(source) =>
              onChange({ source, value: source === 'system' ? 'conversation_id' : '' })
            }
          />
        </Field>
        <ParameterValue parameter={parameter} onChange={onChange} />
      </div>
      <div className="mt-4 flex items-center justify-between gap-3">
        <Checkbox
          label={t('build.actions.required')}
          checked={parameter.required}
          onChange={(required) => onChange({ required })}
        />
        <Button
          look="quiet"
          size="icon"
          onClick={onRemove}
          aria-label={t('build.actions.removeParameter', { number })}
        >
          <X aria-hidden />
        </Button>
      </div>
    </fieldset>
  )
}
