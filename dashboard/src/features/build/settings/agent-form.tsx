import { useEffect, useRef, useState } from 'react'
import { formatNumber } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Checkbox } from '#ui/checkbox.tsx'
import { Field, Input, TextArea } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { Card, CardHeading } from '#ui/surfaces.tsx'
import { maxPromptLength } from './agent-draft.ts'
import { DraftBar } from './draft-bar.tsx'
import { FallbacksField } from './fallbacks-field.tsx'
import { MemoryField } from './memory-field.tsx'
import { ModelField } from './model-field.tsx'
import { NumberInput } from './number-input.tsx'
import { OverridesField } from './overrides-field.tsx'
import { SuggestionsField } from './suggestions-field.tsx'
import type { AgentForm } from './use-agent-form.ts'

/** All settings of an agent. */
export function AgentForm({ form }: { readonly form: AgentForm }) {
  const element = useRef<HTMLFormElement>(null)
  const [isPublishing, setPublishing] = useState(false)
  useSaveKey(element)
  async function publish(): Promise<void> {
    await form.save()
    setPublishing(true)
  }
  return (
    <form
      ref={element}
      aria-label={t('build.form.label')}
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault()
        const hasChanges = form.isChanged || form.agent.draft !== undefined
        if (hasChanges && !form.isStuck) void publish()
      }}
    >
      <Prompt form={form} />
      <Model form={form} />
      <Opening form={form} />
      <Retrieval form={form} />
      <About form={form} />
      <DraftBar form={form} isPublishing={isPublishing} setPublishing={setPublishing} />
    </form>
  )
}

/** Ctrl+S, and Cmd+S on a Mac. */
function useSaveKey(form: React.RefObject<HTMLFormElement | null>): void {
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      form.current?.requestSubmit()
    }
    globalThis.addEventListener('keydown', onKey)
    return () => globalThis.removeEventListener('keydown', onKey)
  }, [form])
}

interface PartProps {
  readonly form: AgentForm
}

function Prompt({ form }: PartProps) {
  const { system_prompt: prompt } = form.value
  const isNearEnd = prompt.length > maxPromptLength * 0.8
  return (
    <Card>
      <Field
        label={<span className="text-base font-semibold">{t('build.form.prompt')}</span>}
        hint={
          isNearEnd
            ? t('build.form.promptCount', {
                count: formatNumber(prompt.length),
                most: formatNumber(maxPromptLength),
              })
            : t('build.form.promptHint')
        }
        error={form.problem?.issueOf('system_prompt')}
      >
        <TextArea
          rows={8}
          className="max-h-[70dvh] min-h-48 leading-relaxed"
          maxLength={maxPromptLength}
          placeholder={t('build.form.promptPlaceholder')}
          value={prompt}
          onChange={(event) => form.change({ system_prompt: event.currentTarget.value })}
        />
      </Field>
    </Card>
  )
}

function Model({ form }: PartProps) {
  return (
    <Card>
      <CardHeading title={t('build.form.answering')} />
      <div className="flex flex-col gap-5">
        <ModelField form={form} />
        <FallbacksField form={form} />
        <div className="grid gap-5 sm:grid-cols-2">
          <NumberInput form={form} field="temperature" placeholder={t('build.form.unset')} />
          <NumberInput form={form} field="max_output_tokens" placeholder={t('build.form.unset')} />
          <NumberInput form={form} field="max_tool_steps" />
          <NumberInput form={form} field="retention_days" placeholder={t('build.form.forever')} />
        </div>
        <MemoryField form={form} />
        <Checkbox
          checked={form.value.store_reasoning}
          label={t('build.form.reasoning')}
          hint={t('build.form.reasoningHint')}
          onChange={(checked) => form.change({ store_reasoning: checked })}
        />
        <OverridesField form={form} />
      </div>
    </Card>
  )
}

function Opening({ form }: PartProps) {
  return (
    <Card>
      <CardHeading title={t('build.form.opening')} />
      <div className="flex flex-col gap-5">
        <Field label={t('build.form.greeting')} error={form.problem?.issueOf('greeting')}>
          <TextArea
            rows={2}
            className="min-h-16"
            maxLength={2000}
            placeholder={t('build.form.greetingPlaceholder')}
            value={form.value.greeting}
            onChange={(event) => form.change({ greeting: event.currentTarget.value })}
          />
        </Field>
        <SuggestionsField form={form} />
      </div>
    </Card>
  )
}

const modes = ['hybrid', 'fulltext', 'vector'] as const

function Retrieval({ form }: PartProps) {
  return (
    <Card>
      <CardHeading title={t('build.form.retrieval')} hint={t('build.form.retrievalHint')} />
      <div className="grid gap-5 sm:grid-cols-2">
        <Field
          className="sm:col-span-2"
          label={t('build.form.mode')}
          hint={t('build.form.modeHint')}
        >
          <Select
            choices={modes.map((mode) => ({ value: mode, label: t(`build.form.modes.${mode}`) }))}
            value={form.value.mode}
            onChange={(mode) => form.change({ mode })}
          />
        </Field>
        <NumberInput form={form} field="top_k" />
        <NumberInput form={form} field="min_score" />
        <NumberInput form={form} field="vector_weight" />
      </div>
    </Card>
  )
}

function About({ form }: PartProps) {
  return (
    <Card>
      <CardHeading title={t('build.form.about')} />
      <div className="flex flex-col gap-5">
        <Field label={t('build.form.name')} error={form.problem?.issueOf('name')}>
          <Input
            required
            maxLength={200}
            value={form.value.name}
            onChange={(event) => form.change({ name: event.currentTarget.value })}
          />
        </Field>
        <Field label={t('build.form.description')} error={form.problem?.issueOf('description')}>
          <TextArea
            rows={2}
            className="min-h-16"
            maxLength={2000}
            placeholder={t('build.form.descriptionPlaceholder')}
            value={form.value.description}
            onChange={(event) => form.change({ description: event.currentTarget.value })}
          />
        </Field>
      </div>
    </Card>
  )
}
