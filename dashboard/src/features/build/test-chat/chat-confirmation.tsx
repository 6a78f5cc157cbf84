import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { CallArguments } from './call-arguments.tsx'
import type { ChatTurn } from './chat-turn.ts'

export interface ChatConfirmationProps {
  readonly turn: ChatTurn | undefined
  onSay(question: string): void
}

/** Confirms or declines actions, with the same words that a user would write. */
export function ChatConfirmation({ turn, onSay }: ChatConfirmationProps) {
  const waiting = turn?.calls.filter(({ status }) => status === 'awaiting_confirmation') ?? []
  return (
    <div className="mb-3">
      <Notice tone="warn" title={t('build.chat.confirmTitle')}>
        <ul className="flex flex-col gap-3">
          {waiting.map((call) => (
            <li key={call.id}>
              <CallArguments
                title={call.title === '' ? call.name : call.title}
                values={call.arguments}
              />
            </li>
          ))}
        </ul>
        <div className="mt-2.5 flex flex-wrap gap-2">
          <Button size="small" look="primary" onClick={() => onSay(t('build.chat.confirmWord'))}>
            {t('build.chat.confirm')}
          </Button>
          <Button size="small" onClick={() => onSay(t('build.chat.declineWord'))}>
            {t('build.chat.decline')}
          </Button>
        </div>
      </Notice>
    </div>
  )
}
