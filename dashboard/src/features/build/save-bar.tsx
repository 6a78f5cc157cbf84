import { messageOf } from '#components/message-of.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Notice } from '#ui/surfaces.tsx'
import type { AgentForm } from './use-agent-form.ts'

/** Stays visible while there are unsaved changes, wherever the page is scrolled to. */
export function SaveBar({ form }: { readonly form: AgentForm }) {
  if (!form.isChanged) return null
  const { problem } = form
  const isTold = problem === null || problem.code === 'version_conflict'
  return (
    <section
      aria-label={t('build.saving.bar')}
      className="sticky bottom-3 z-20 flex flex-col gap-3 rounded-2xl border border-line bg-raised p-3 shadow-raised"
    >
      {form.hasConflict && <Conflict form={form} />}
      {!isTold && <Notice tone="bad">{messageOf(problem)}</Notice>}
      <div className="flex flex-wrap items-center gap-2">
        <Field
          className="flex-1 basis-56"
          label={<span className="sr-only">{t('build.saving.note')}</span>}
        >
          <Input
            maxLength={500}
            value={form.note}
            placeholder={t('build.saving.notePlaceholder')}
            onChange={(event) => form.setNote(event.currentTarget.value)}
          />
        </Field>
        <div className="ml-auto flex gap-2">
          <Button look="quiet" onClick={form.discard}>
            {t('build.saving.discard')}
          </Button>
          <Button
            look="primary"
            type="submit"
            busy={form.isSaving}
            disabled={form.hasConflict}
            title={t('build.saving.shortcut')}
          >
            {t('build.saving.save')}
          </Button>
        </div>
      </div>
    </section>
  )
}

function Conflict({ form }: { readonly form: AgentForm }) {
  return (
    <Notice tone="warn" title={t('build.saving.conflict', { version: form.agent.version })}>
      <p>{t('build.saving.conflictHint')}</p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button size="small" onClick={form.discard}>
          {t('build.saving.load')}
        </Button>
        <Button size="small" onClick={form.keepMine}>
          {t('build.saving.overwrite')}
        </Button>
      </div>
    </Notice>
  )
}
