import { useState } from 'react'
import { useOperationMutation } from '#api/use-operation.ts'
import { ConfirmDialog } from '#components/confirm-dialog.tsx'
import { notifyError } from '#components/notify-error.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import type { ChatPage } from './chat-page-fields.tsx'

/** Pauses the chat at once, without the draft of the form: whoever needs it has no time for another step. */
export function PausePage({ page }: { readonly page: ChatPage }) {
  const { app_id, paused } = page
  const [isAsking, setIsAsking] = useState(false)
  const change = useOperationMutation('update_chat_page', {
    refreshes: ['get_chat_page'],
    onSuccess: (now) => notify({ title: t(now.paused ? 'chatPage.paused' : 'chatPage.resumed') }),
  })
  const resume = () => change.mutate({ app_id, paused: false }, { onError: notifyError })
  return (
    <Notice tone={paused ? 'warn' : 'neutral'}>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="min-w-0 flex-1 basis-72">
          {t(paused ? 'chatPage.isPaused' : 'chatPage.isOpen')}
        </p>
        {paused ? (
          <Button busy={change.isPending} onClick={resume}>
            {t('chatPage.resume')}
          </Button>
        ) : (
          <Button onClick={() => setIsAsking(true)}>{t('chatPage.pause')}</Button>
        )}
      </div>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={t('chatPage.pauseConfirm')}
        confirm={t('chatPage.pauseDo')}
        danger={false}
        onConfirm={() => change.mutateAsync({ app_id, paused: true })}
      >
        <p>{t('chatPage.pauseWarning')}</p>
      </ConfirmDialog>
    </Notice>
  )
}
