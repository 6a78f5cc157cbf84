import type { FormEvent, ReactNode } from 'react'
import { useOperationMutation } from '#api/use-operation.ts'
import { ErrorText } from '#components/error-text.tsx'
import { useDraft } from '#components/use-draft.ts'
import { useLeaveWarning } from '#components/use-leave-warning.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import { settingsOf, type ChatPage, type FieldsProps } from './chat-page-fields.tsx'
import { changedSettings, sharesDraft } from './share-draft.ts'

interface ShareFormProps {
  readonly page: ChatPage
  /** The fields of one part of *Share*. */
  children(fields: FieldsProps): ReactNode
}

/** One draft for all parts: what is changed in one is still there in the others, and saved with them. */
export function ShareForm({ page, children }: ShareFormProps) {
  const { app_id } = page
  const saved = settingsOf(page)
  const { value, change, isChanged, clear } = useDraft(`chat-page ${app_id}`, saved)
  const save = useOperationMutation('update_chat_page', {
    refreshes: ['get_chat_page'],
    onSuccess() {
      clear()
      notify({ title: t('chatPage.saved') })
    },
  })
  const hasChanges = isChanged && !save.isPending
  useLeaveWarning(hasChanges, hasChanges, sharesDraft)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // Another editor may have changed the rest meanwhile.
    save.mutate({ app_id, ...changedSettings(saved, value) })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-5">
      {children({ value, change })}
      {save.error !== null && (
        <Notice tone="bad">
          <ErrorText error={save.error} />
        </Notice>
      )}
      <div className="flex flex-wrap items-center justify-end gap-3">
        {isChanged && <span className="text-sm text-soft">{t('chatPage.unsaved')}</span>}
        <Button look="primary" type="submit" busy={save.isPending} disabled={!isChanged}>
          {t('common.save')}
        </Button>
      </div>
    </form>
  )
}
