import type { FormEvent } from 'react'
import { useOperationMutation } from '#api/use-operation.ts'
import { ErrorText } from '#components/error-text.tsx'
import { useDraft } from '#components/use-draft.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { Field, Input, TextArea } from '#ui/field.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'

export interface AddDialogProps {
  readonly open: boolean
  onOpenChange(open: boolean): void
}

export function AddTextDialog({ open, onOpenChange }: AddDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('knowledge.add.text')}
      description={t('knowledge.textForm.hint')}
      closeLabel={t('common.close')}
      wide
    >
      <TextForm onDone={() => onOpenChange(false)} />
    </Dialog>
  )
}

function TextForm({ onDone }: { readonly onDone: () => void }) {
  const agent = useAgent()
  const { value, change, clear } = useDraft(`knowledge-text ${agent.id}`, { title: '', text: '' })
  const add = useOperationMutation('add_knowledge_source', {
    refreshes: ['list_knowledge_sources'],
    onSuccess({ title }) {
      clear()
      notify({ title: t('knowledge.textForm.added', { title }) })
      onDone()
    },
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    add.mutate({ app_id: agent.id, kind: 'text', ...value })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-5">
      <Field label={t('knowledge.textForm.title')} hint={t('knowledge.textForm.titleHint')}>
        <Input
          required
          maxLength={500}
          placeholder={t('knowledge.textForm.titlePlaceholder')}
          value={value.title}
          onChange={(event) => change({ title: event.currentTarget.value })}
        />
      </Field>
      <Field label={t('knowledge.textForm.text')}>
        <TextArea
          required
          rows={10}
          placeholder={t('knowledge.textForm.textPlaceholder')}
          value={value.text}
          onChange={(event) => change({ text: event.currentTarget.value })}
        />
      </Field>
      {add.error !== null && (
        <Notice tone="bad">
          <ErrorText error={add.error} />
        </Notice>
      )}
      <DialogActions>
        <Button onClick={onDone}>{t('common.cancel')}</Button>
        <Button look="primary" type="submit" busy={add.isPending}>
          {t('knowledge.textForm.submit')}
        </Button>
      </DialogActions>
    </form>
  )
}
