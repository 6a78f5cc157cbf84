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

export interface AddTextDialogProps extends AddDialogProps {
  /** The question that the text answers; undefined for a text of another kind. */
  readonly question?: string | undefined
}

/** Adds a text, or the answer to a question. */
export function AddTextDialog({ open, onOpenChange, question }: AddTextDialogProps) {
  const isAnswer = question !== undefined
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={isAnswer ? t('knowledge.unanswered.answer') : t('knowledge.add.text')}
      description={isAnswer ? t('knowledge.unanswered.answerHint') : t('knowledge.textForm.hint')}
      closeLabel={t('common.close')}
      wide
    >
      <TextForm question={question} onDone={() => onOpenChange(false)} />
    </Dialog>
  )
}

interface TextFormProps {
  readonly question: string | undefined
  onDone(): void
}

function TextForm({ question, onDone }: TextFormProps) {
  const agent = useAgent()
  const { value, change, clear } = useDraft(`knowledge-text ${agent.id} ${question ?? ''}`, {
    title: question ?? '',
    text: '',
  })
  const add = useOperationMutation('add_knowledge_source', {
    refreshes: ['list_knowledge_sources', 'get_unanswered_questions'],
    onSuccess({ title }) {
      clear()
      notify({ title: t('knowledge.textForm.added', { title }) })
      onDone()
    },
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    add.mutate({ app_id: agent.id, kind: question === undefined ? 'text' : 'answer', ...value })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-5">
      <Field
        label={
          question === undefined
            ? t('knowledge.textForm.title')
            : t('knowledge.unanswered.question')
        }
        hint={t('knowledge.textForm.titleHint')}
      >
        <Input
          required
          maxLength={500}
          placeholder={t('knowledge.textForm.titlePlaceholder')}
          value={value.title}
          onChange={(event) => change({ title: event.currentTarget.value })}
        />
      </Field>
      <Field
        label={
          question === undefined ? t('knowledge.textForm.text') : t('knowledge.unanswered.text')
        }
      >
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
