import { ThumbsDown, ThumbsUp } from '#ui/icons.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { notifyError } from '#components/notify-error.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'

export interface AnswerRatingProps {
  readonly sessionId: string
  readonly messageId: string
  /** As it was loaded. */
  readonly rating: 'up' | 'down' | null
  readonly comment?: string | null
}

/** The rating of an answer. Editors can change it. */
export function AnswerRating({
  sessionId,
  messageId,
  rating: before,
  comment = null,
}: AnswerRatingProps) {
  const isEditor = useMay('editor')
  const rate = useOperationMutation('rate_answer', {
    refreshes: ['get_conversation', 'list_conversations'],
  })
  const changed = rate.isError ? undefined : rate.variables
  const present = changed === undefined ? before : changed.rating
  const choose = (rating: 'up' | 'down') =>
    rate.mutate(
      {
        session_id: sessionId,
        message_id: messageId,
        rating: present === rating ? null : rating,
      },
      { onError: notifyError },
    )
  return (
    <div
      role="group"
      aria-label={t('analytics.conversation.rate')}
      className="flex items-center gap-1"
    >
      {(['up', 'down'] as const).map((rating) => {
        const Icon = rating === 'up' ? ThumbsUp : ThumbsDown
        const label =
          rating === 'up'
            ? t('analytics.conversation.rateUp')
            : t('analytics.conversation.rateDown')
        return (
          <Button
            key={rating}
            look="quiet"
            size="small"
            disabled={!isEditor}
            aria-pressed={present === rating}
            aria-label={label}
            onClick={() => choose(rating)}
            className={present === rating ? 'bg-accent-ground text-accent' : ''}
          >
            <Icon aria-hidden />
          </Button>
        )
      })}
      {comment !== null && <span className="min-w-0 text-sm break-words text-soft">{comment}</span>}
    </div>
  )
}
