import { t } from '#texts/t.ts'
import { Field, Input } from '#ui/field.tsx'
import { bounds, numberProblem, type NumberField } from './agent-draft.ts'
import type { AgentForm } from './use-agent-form.ts'

export interface NumberInputProps {
  readonly form: AgentForm
  readonly field: NumberField
  /** What an empty field means. */
  readonly placeholder?: string
}

/** The texts of each field, under `build.form`. */
const names = {
  temperature: 'temperature',
  max_output_tokens: 'maxOutput',
  max_tool_steps: 'toolSteps',
  retention_days: 'retention',
  top_k: 'topK',
  min_score: 'minScore',
  vector_weight: 'vectorWeight',
} as const satisfies Readonly<Record<NumberField, string>>

/** A text field for a number: scrolling over `type=number` would change the value. */
export function NumberInput({ form, field, placeholder }: NumberInputProps) {
  const typed = form.value[field]
  const { least, most } = bounds[field]
  const problem = numberProblem(field, typed)
  const error = problem === null ? undefined : t(`build.form.${problem}`, { least, most })
  return (
    <Field
      label={t(`build.form.${names[field]}`)}
      hint={t(`build.form.${names[field]}Hint`)}
      error={error ?? form.problem?.issueOf(field)}
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
