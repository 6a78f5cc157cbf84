import { useOperationList } from '#api/use-operation.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Field, Input, TextArea } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { SuggestInput } from '#ui/suggest-input.tsx'
import { isJson, systemValues, type ParameterDraft } from './action-draft.ts'

export interface ParameterValueProps {
  readonly parameter: ParameterDraft
  onChange(part: Partial<ParameterDraft>): void
}

/** The fields that depend on where the value comes from. */
export function ParameterValue({ parameter, onChange }: ParameterValueProps) {
  const { source } = parameter
  if (source === 'ai') return <ModelValue parameter={parameter} onChange={onChange} />
  if (source === 'variable') return <VariableValue parameter={parameter} onChange={onChange} />
  if (source === 'system')
    return (
      <Field className="sm:col-span-2" label={t('build.actions.system')}>
        <Select
          choices={systemValues.map((one) => ({
            value: one,
            label: t(`build.actions.systems.${one}`),
          }))}
          value={systemValues.find((one) => one === parameter.value) ?? 'conversation_id'}
          onChange={(value) => onChange({ value })}
        />
      </Field>
    )
  const isText = parameter.type === 'string'
  return (
    <Field
      className="sm:col-span-2"
      label={isText ? t('build.actions.value') : t('build.actions.valueJson')}
      error={
        isText || parameter.value === '' || isJson(parameter.value)
          ? undefined
          : t('build.actions.badJson')
      }
    >
      <Input
        value={parameter.value}
        required={!isText}
        onChange={(event) => onChange({ value: event.currentTarget.value })}
      />
    </Field>
  )
}

function ModelValue({ parameter, onChange }: ParameterValueProps) {
  const { schema } = parameter
  return (
    <>
      <Field className="sm:col-span-2" label={t('build.actions.instructions')}>
        <Input
          maxLength={2000}
          placeholder={t('build.actions.instructionsPlaceholder')}
          value={parameter.instructions}
          onChange={(event) => onChange({ instructions: event.currentTarget.value })}
        />
      </Field>
      <details className="sm:col-span-2">
        <summary className="w-fit cursor-pointer rounded text-[0.8125rem] text-soft hover:text-ink">
          {t('build.actions.schema')}
        </summary>
        <Field
          className="mt-2"
          label={<span className="sr-only">{t('build.actions.schema')}</span>}
          hint={t('build.actions.schemaHint', { example: '{"enum": ["small", "large"]}' })}
          error={schema.trim() === '' || isJson(schema) ? undefined : t('build.actions.badJson')}
        >
          <TextArea
            rows={2}
            spellCheck={false}
            className="min-h-14 font-mono text-[0.8125rem]"
            value={schema}
            onChange={(event) => onChange({ schema: event.currentTarget.value })}
          />
        </Field>
      </details>
    </>
  )
}

function VariableValue({ parameter, onChange }: ParameterValueProps) {
  const { id } = useAgent()
  const { items } = useOperationList('list_app_variables', { app_id: id, limit: 100 })
  const names = items.map(({ name }) => ({ value: name }))
  const group = { label: t('build.variables.title'), items: names }
  return (
    <Field className="sm:col-span-2" label={t('build.actions.variable')}>
      <SuggestInput
        required
        maxLength={120}
        value={parameter.value}
        onChange={(value) => onChange({ value })}
        openLabel={t('build.variables.title')}
        groups={names.length === 0 ? [] : [group]}
      />
    </Field>
  )
}
