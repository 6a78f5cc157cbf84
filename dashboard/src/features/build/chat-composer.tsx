import { ArrowUp, Square } from '#ui/icons.ts'
import type { KeyboardEvent } from 'react'
import { useDraft } from '#components/use-draft.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { controlStyle } from '#ui/field.tsx'

export interface ChatComposerProps {
  readonly agentId: string
  readonly isRunning: boolean
  onSay(question: string): void
  onStop(): void
}

/** The id of the field, for links to it. */
export const chatMessageId = 'test-chat-message'

/** The message field. Enter sends, Shift+Enter starts a new line. */
export function ChatComposer({ agentId, isRunning, onSay, onStop }: ChatComposerProps) {
  const draft = useDraft(`test-chat ${agentId}`, { text: '' })
  const { text } = draft.value
  function send(): void {
    if (isRunning || text.trim() === '') return
    onSay(text.trim())
    draft.clear()
  }
  function onKeyDown(event: KeyboardEvent): void {
    // Input methods use Enter to finish a composition.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <form
      className="flex items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
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
      />
      {isRunning ? (
        <Button size="icon" className="size-10" aria-label={t('build.chat.stop')} onClick={onStop}>
          <Square aria-hidden />
        </Button>
      ) : (
        <Button
          look="primary"
          size="icon"
          className="size-10"
          type="submit"
          aria-label={t('build.chat.send')}
          disabled={text.trim() === ''}
        >
          <ArrowUp aria-hidden />
        </Button>
      )}
    </form>
  )
}
