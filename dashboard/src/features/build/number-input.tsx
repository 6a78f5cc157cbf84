import { t } from '#texts/t.ts'
import { Field, Input } from '#ui/field.tsx'
import { bounds, numberProblem, type NumberField } from './agent-draft.ts'
import type { AgentForm } from './use-agent-form.ts'

export interface NumberInputProps {
  readonly form: AgentForm
  readonly field: NumberField
  readonly label: string
  readonly hint: string
  /** What an empty one means. */
  readonly placeholder?: string
}

/** A number as text: the spinner of `type=number` changes it under a scrolling wheel. */
export function NumberInput({ form, field, label, hint, placeholder }: NumberInputProps) {
  const typed = form.value[field]
  const { least, most } = bounds[field]
  const problem = numberProblem(field, typed)
  const error = problem === null ? undefined : t(`build.form.${problem}`, { least, most })
  return (
    <Field label={label} hint={hint} error={error ?? form.problem?.issueOf(field)}>
      <Input
        inputMode="decimal"
        value={typed}
        {...(placeholder === undefined ? {} : { placeholder })}
        onChange={(event) => form.change({ [field]: event.currentTarget.value })}
      />
    </Field>
  )
}
