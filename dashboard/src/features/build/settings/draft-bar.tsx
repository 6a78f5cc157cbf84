import { useState } from 'react'
import { useOperationMutation } from '#api/use-operation.ts'
import { ConfirmDialog } from '#components/confirm-dialog.tsx'
import { ErrorText } from '#components/error-text.tsx'
import { Time } from '#components/time.tsx'
import { shortcut } from '#texts/keys.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { PublishDialog } from '../versions/publish-dialog.tsx'
import type { AgentForm } from './use-agent-form.ts'

export interface DraftBarProps {
  readonly form: AgentForm
  readonly isPublishing: boolean
  setPublishing(isPublishing: boolean): void
}

/** Stays visible while there are changes that callers do not get, wherever the page is scrolled to. */
export function DraftBar({ form, isPublishing, setPublishing }: DraftBarProps) {
  const { agent, problem } = form
  const [isDiscarding, setDiscarding] = useState(false)
  const discard = useOperationMutation('discard_app_draft', { refreshes: ['get_app'] })
  const hasDraft = agent.draft !== undefined
  return (
    <>
      {(hasDraft || form.isChanged) && (
        <section
          aria-label={t('build.saving.bar')}
          className="sticky bottom-3 z-20 flex flex-col gap-3 rounded-2xl border border-line bg-raised p-3 shadow-raised"
        >
          {form.hasConflict && <Conflict form={form} />}
          {problem !== null && (
            <Notice tone="bad">
              <ErrorText error={problem} />
            </Notice>
          )}
          <div className="flex flex-wrap items-center gap-2 pl-2">
            <Status form={form} />
            <div className="ml-auto flex gap-2">
              <Button look="quiet" onClick={() => (hasDraft ? setDiscarding(true) : form.forget())}>
                {t('build.saving.discard')}
              </Button>
              <Button
                look="primary"
                type="submit"
                disabled={form.hasConflict}
                title={t('build.saving.shortcut', { keys: shortcut('S') })}
              >
                {t('build.saving.publish')}
              </Button>
            </div>
          </div>
        </section>
      )}
      <PublishDialog open={isPublishing} onOpenChange={setPublishing} />
      <ConfirmDialog
        open={isDiscarding}
        onOpenChange={setDiscarding}
        title={t('build.saving.discardTitle')}
        confirm={t('build.saving.discard')}
        onConfirm={async () => {
          form.forget()
          await discard.mutateAsync({ app_id: agent.id })
        }}
      >
        {t('build.saving.discardHint', { version: agent.version })}
      </ConfirmDialog>
    </>
  )
}

function Status({ form }: { readonly form: AgentForm }) {
  const { draft } = form.agent
  const text = form.isSaving
    ? t('build.saving.saving')
    : form.isChanged || draft === undefined
      ? t('build.saving.unsaved')
      : t('build.saving.draft')
  return (
    <p role="status" className="min-w-0 text-sm">
      {text}
      {draft !== undefined && (
        <span className="block text-[0.8125rem] text-soft">
          {t('build.saving.by', { name: draft.author.name })}{' '}
          <Time value={draft.updated_at} relative />
        </span>
      )}
    </p>
  )
}

function Conflict({ form }: { readonly form: AgentForm }) {
  const name = form.agent.draft?.author.name
  return (
    <Notice
      tone="warn"
      title={
        name === undefined ? t('build.saving.conflictGone') : t('build.saving.conflict', { name })
      }
    >
      <p>{t('build.saving.conflictHint')}</p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button size="small" onClick={form.forget}>
          {t('build.saving.load')}
        </Button>
        <Button size="small" onClick={form.keepMine}>
          {t('build.saving.overwrite')}
        </Button>
      </div>
    </Notice>
  )
}
