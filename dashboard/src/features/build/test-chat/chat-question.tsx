import { useState, type FormEvent } from 'react'
import { Pencil } from '#ui/icons.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { controlStyle } from '#ui/field.tsx'
import { AttachedFiles } from './attached-files.tsx'
import type { Attachment } from './attachment.ts'

export interface ChatQuestionProps {
  readonly question: string
  readonly attachments?: readonly Attachment[]
  /** Asks the changed question instead; absent while another one is being answered. */
  readonly onEdit: ((question: string) => void) | undefined
}

/** A question of the user, which can be changed and asked again. */
export function ChatQuestion({ question, attachments = [], onEdit }: ChatQuestionProps) {
  const [edited, setEdited] = useState<string | null>(null)
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (edited === null || edited.trim() === '') return
    setEdited(null)
    onEdit?.(edited.trim())
  }
  if (edited !== null && onEdit !== undefined)
    return (
      <form onSubmit={submit} className="flex w-full flex-col items-end gap-2">
        <textarea
          dir="auto"
          rows={2}
          maxLength={100_000}
          aria-label={t('build.chat.editedQuestion')}
          className={`${controlStyle} field-sizing-content max-h-60 py-2`}
          value={edited}
          onChange={(event) => setEdited(event.currentTarget.value)}
        />
        <div className="flex gap-2">
          <Button size="small" onClick={() => setEdited(null)}>
            {t('common.cancel')}
          </Button>
          <Button size="small" look="primary" type="submit" disabled={edited.trim() === ''}>
            {t('build.chat.resend')}
          </Button>
        </div>
      </form>
    )
  return (
    <div className="flex max-w-[85%] flex-col items-end gap-1.5 self-end">
      {attachments.length > 0 && <AttachedFiles items={attachments} />}
      <div className="flex max-w-full items-center justify-end gap-1">
        {onEdit !== undefined && (
          <Button
            look="quiet"
            size="icon"
            aria-label={t('build.chat.edit')}
            title={t('build.chat.edit')}
            onClick={() => setEdited(question)}
          >
            <Pencil aria-hidden />
          </Button>
        )}
        <p
          dir="auto"
          className="min-w-0 rounded-2xl rounded-br-md bg-accent-ground px-3.5 py-2 text-sm break-words whitespace-pre-wrap"
        >
          <span className="sr-only">{`${t('build.chat.you')}: `}</span>
          {question}
        </p>
      </div>
    </div>
  )
}
