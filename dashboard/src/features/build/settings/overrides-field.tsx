import { t } from '#texts/t.ts'
import { Checkbox } from '#ui/checkbox.tsx'
import { boundedFields, isReversed, overrides } from './agent-draft.ts'
import { NumberInput } from './number-input.tsx'
import type { AgentForm } from './use-agent-form.ts'

/** What a request of the chat API may set for its own turn. */
export function OverridesField({ form }: { readonly form: AgentForm }) {
  const { allow_request_overrides: allowed } = form.value
  return (
    <fieldset className="min-w-0">
      <legend className="text-sm font-medium">{t('build.form.overrides')}</legend>
      <p className="mt-0.5 mb-2 text-[0.8125rem] text-soft">{t('build.form.overridesHint')}</p>
      <div className="grid gap-2 sm:grid-cols-2">
        {overrides.map((one) => (
          <Checkbox
            key={one}
            checked={allowed.includes(one)}
            label={t(`build.form.override.${one}`)}
            onChange={(checked) =>
              form.change({
                allow_request_overrides: overrides.filter((each) =>
                  each === one ? checked : allowed.includes(each),
                ),
              })
            }
          />
        ))}
      </div>
      {allowed.includes('sampling') && (
        <div className="mt-3 grid gap-5 sm:grid-cols-2">
          {boundedFields.flatMap((field) => [
            <NumberInput key={`min_${field}`} form={form} field={`min_${field}`} />,
            <NumberInput
              key={`max_${field}`}
              form={form}
              field={`max_${field}`}
              error={isReversed(form.value, field) ? t('build.form.reversed') : undefined}
            />,
          ])}
        </div>
      )}
    </fieldset>
  )
}
