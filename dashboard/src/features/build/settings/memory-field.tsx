import { t } from '#texts/t.ts'
import { Checkbox } from '#ui/checkbox.tsx'
import { Field, Input } from '#ui/field.tsx'
import { isInside } from '../is-inside.ts'
import type { AgentForm } from './use-agent-form.ts'

/** Whether long conversations are summed up, by which model, and what it costs. */
export function MemoryField({ form }: { readonly form: AgentForm }) {
  const { memory, memory_model: typed, model } = form.value
  const isOn = memory === 'summary'
  const writer = typed.trim() === '' ? model.trim() : typed.trim()
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="text-sm font-medium">{t('build.form.memory')}</legend>
      <p className="text-[0.8125rem] text-soft">{t('build.form.memoryHint')}</p>
      <Checkbox
        checked={isOn}
        label={t('build.form.memories.summary')}
        onChange={(checked) => form.change({ memory: checked ? 'summary' : 'none' })}
      />
      {isOn && (
        <Field
          label={t('build.form.memoryModel')}
          hint={t('build.form.memoryModelHint')}
          error={form.problem?.issueOf('memory_model')}
        >
          <Input
            maxLength={200}
            className="font-mono text-sm"
            placeholder={model}
            value={typed}
            onChange={(event) => form.change({ memory_model: event.currentTarget.value })}
          />
        </Field>
      )}
      {isOn && isInside(writer) && (
        <p className="text-[0.8125rem] text-warn">{t('build.form.memoryInside')}</p>
      )}
    </fieldset>
  )
}
