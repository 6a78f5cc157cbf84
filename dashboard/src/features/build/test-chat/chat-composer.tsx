import { ArrowUp, Square } from '#ui/icons.ts'
import type { ClipboardEvent, KeyboardEvent } from 'react'
import { useDraft } from '#components/use-draft.ts'
import { isComposing } from '#chat/is-composing.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { controlStyle } from '#ui/field.tsx'
import { AttachButton } from './attach-button.tsx'
import { AttachedFiles } from './attached-files.tsx'
import type { Attachment } from './attachment.ts'
import type { Attachments } from './use-attachments.ts'

export interface ChatComposerProps {
  /** Where the text is kept until it is sent. */
  readonly draftKey: string
  readonly isRunning: boolean
  readonly attachments: Attachments
  onSay(question: string, attachments: readonly Attachment[]): void
  onStop(): void
}

/** The id of the field, for links to it. */
export const chatMessageId = 'test-chat-message'

/** The message field. Enter sends, Shift+Enter starts a new line. */
export function ChatComposer({
  draftKey,
  isRunning,
  attachments,
  onSay,
  onStop,
}: ChatComposerProps) {
  const draft = useDraft(draftKey, { text: '' })
  const { text } = draft.value
  function send(): void {
    if (isRunning || text.trim() === '') return
    onSay(text.trim(), attachments.items)
    draft.clear()
    attachments.clear()
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.shiftKey || isComposing(event.nativeEvent)) return
    event.preventDefault()
    send()
  }
  function onPaste(event: ClipboardEvent): void {
    const { types, files } = event.clipboardData
    // Office programs add a picture of a text that is copied.
    if (files.length === 0 || types.includes('text/plain')) return
    event.preventDefault()
    attachments.add([...files])
  }
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      {attachments.items.length > 0 && (
        <AttachedFiles items={attachments.items} onRemove={attachments.remove} />
      )}
      {attachments.problem !== null && (
        <p role="alert" className="text-xs break-words text-bad">
          {attachments.problem}
        </p>
      )}
      <div className="flex items-end gap-2">
        <AttachButton onFiles={attachments.add} />
        <textarea
          id={chatMessageId}
          rows={1}
          dir="auto"
          aria-label={t('build.chat.message')}
          title={t('build.chat.keys')}
          maxLength={100_000}
          placeholder={t('build.chat.placeholder')}
          className={`${controlStyle} field-sizing-content max-h-40 min-h-10 resize-none py-2`}
          value={text}
          onChange={(event) => draft.change({ text: event.currentTarget.value })}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        <SendOrStop isRunning={isRunning} isEmpty={text.trim() === ''} onStop={onStop} />
      </div>
    </form>
  )
}

interface SendOrStopProps {
  readonly isRunning: boolean
  readonly isEmpty: boolean
  onStop(): void
}

function SendOrStop({ isRunning, isEmpty, onStop }: SendOrStopProps) {
  if (isRunning)
    return (
      <Button size="icon" className="size-10" aria-label={t('build.chat.stop')} onClick={onStop}>
        <Square aria-hidden />
      </Button>
    )
  return (
    <Button
      look="primary"
      size="icon"
      className="size-10"
      type="submit"
      aria-label={t('build.chat.send')}
      disabled={isEmpty}
    >
      <ArrowUp aria-hidden />
    </Button>
  )
}
