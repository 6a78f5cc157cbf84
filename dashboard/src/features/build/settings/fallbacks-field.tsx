import { t } from '#texts/t.ts'
import { Field, TextArea } from '#ui/field.tsx'
import { maxFallbacks } from './agent-draft.ts'
import type { AgentForm } from './use-agent-form.ts'

/** The models that answer while the agent's model is unavailable, one in each line. */
export function FallbacksField({ form }: { readonly form: AgentForm }) {
  const { fallback_models: models } = form.value
  const problem = form.problem?.issues.find((issue) => issue.startsWith('fallback_models'))
  return (
    <Field
      label={t('build.form.fallbacks')}
      hint={t('build.form.fallbacksHint', { most: maxFallbacks })}
      error={problem}
    >
      <TextArea
        rows={2}
        className="min-h-16 font-mono text-sm"
        placeholder="anthropic/claude-sonnet-4-5"
        value={models.join('\n')}
        onChange={(event) =>
          form.change({ fallback_models: event.currentTarget.value.split('\n') })
        }
      />
    </Field>
  )
}
