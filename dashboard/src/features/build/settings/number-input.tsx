import { t } from '#texts/t.ts'
import { Field, Input } from '#ui/field.tsx'
import { bounds, numberProblem, type NumberField } from './agent-draft.ts'
import type { AgentForm } from './use-agent-form.ts'

export interface NumberInputProps {
  readonly form: AgentForm
  readonly field: NumberField
  /** What an empty field means. */
  readonly placeholder?: string
  /** What is wrong with it beside other fields. */
  readonly error?: string | undefined
}

/** The texts of each field, under `build.form`. */
const names = {
  temperature: 'temperature',
  max_output_tokens: 'maxOutput',
  min_temperature: 'minTemperature',
  max_temperature: 'maxTemperature',
  min_top_p: 'minTopP',
  max_top_p: 'maxTopP',
  max_tool_steps: 'toolSteps',
  retention_days: 'retention',
  top_k: 'topK',
  min_score: 'minScore',
  vector_weight: 'vectorWeight',
} as const satisfies Readonly<Record<NumberField, string>>

/** A text field for a number: scrolling over `type=number` would change the value. */
export function NumberInput({ form, field, placeholder, error: other }: NumberInputProps) {
  const typed = form.value[field]
  const { least, most } = bounds[field]
  const problem = numberProblem(field, typed)
  const error = problem === null ? undefined : t(`build.form.${problem}`, { least, most })
  return (
    <Field
      label={t(`build.form.${names[field]}`)}
      hint={t(`build.form.${names[field]}Hint`)}
      error={error ?? other ?? form.problem?.issueOf(field)}
    >
      <Input
        inputMode="decimal"
        value={typed}
        {...(placeholder === undefined ? {} : { placeholder })}
        onChange={(event) => form.change({ [field]: event.currentTarget.value })}
      />
    </Field>
  )
}
