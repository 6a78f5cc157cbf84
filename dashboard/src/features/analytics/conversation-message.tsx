import { ThumbsDown, ThumbsUp } from '#ui/icons.ts'
import type { OutputOf } from '#api/call-operation.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { Markdown } from '#components/markdown.tsx'
import { notifyError } from '#components/notify-error.ts'
import { Time } from '#components/time.tsx'
import { ChatCalls, ChatSources, cutReason, useCitation } from '#features/build/index.ts'
import { formatDuration } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { classNames } from '#ui/class-names.ts'
import { Notice } from '#ui/surfaces.tsx'

type Message = OutputOf<'get_conversation'>['messages']['items'][number]

export interface ConversationMessageProps {
  readonly sessionId: string
  readonly message: Message
}

/** One message: text, tool calls, citations, figures and rating. */
export function ConversationMessage({ sessionId, message }: ConversationMessageProps) {
  const isPerson = message.role === 'user'
  const citation = useCitation(message.citations, message.content)
  return (
    <article
      className={classNames(
        'mb-4 rounded-2xl border border-line p-4',
        isPerson ? 'ml-6 bg-quiet sm:ml-24' : 'mr-6 bg-card sm:mr-24',
      )}
    >
      <p className="mb-1 flex flex-wrap gap-x-3 text-[0.8125rem] text-soft">
        <span className="font-medium text-ink">{roleName(message.role)}</span>
        <Time value={message.created_at} />
        {message.model !== null && <span className="font-mono break-all">{message.model}</span>}
      </p>
      <div className="flex min-w-0 flex-col gap-2.5 text-sm">
        {message.tool_calls.length > 0 && <ChatCalls calls={message.tool_calls} />}
        {message.caller_calls.map((call) => (
          <p key={call.id} className="min-w-0 font-mono text-xs break-words">
            {t('analytics.conversation.callerCall', { name: call.name })} {call.arguments}
          </p>
        ))}
        {message.content !== '' && <Markdown text={message.content} citation={citation} />}
        {message.has_parts && <p className="text-soft">{t('analytics.conversation.parts')}</p>}
        {message.error_code !== null && <Notice tone="bad">{cutReason(message.error_code)}</Notice>}
        {message.citations.length > 0 && (
          <ChatSources citations={message.citations} answer={message.content} />
        )}
        {message.role === 'assistant' && <Figures message={message} />}
        {message.role === 'assistant' && <Rating sessionId={sessionId} message={message} />}
      </div>
    </article>
  )
}

function roleName(role: string): string {
  switch (role) {
    case 'user':
    case 'assistant':
    case 'system':
    case 'tool':
    case 'developer':
      return t(`analytics.conversation.roles.${role}`)
    default:
      return role
  }
}

function Figures({ message }: { readonly message: Message }) {
  const { latency_ms: latency, first_token_ms: first, cost_micros: cost } = message
  const tokens = (message.prompt_tokens ?? 0) + (message.completion_tokens ?? 0)
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-0.5 text-xs text-soft">
      {latency !== null && (
        <span>{t('analytics.conversation.took', { duration: formatDuration(latency) })}</span>
      )}
      {first !== null && (
        <span>{t('analytics.conversation.first', { duration: formatDuration(first) })}</span>
      )}
      <span>{t('analytics.conversation.tokens', { count: tokens })}</span>
      {message.cached_tokens !== null && (
        <span>{t('analytics.conversation.cached', { count: message.cached_tokens })}</span>
      )}
      {cost !== null && (
        <span>{t('analytics.conversation.credits', { count: cost / 1_000_000 })}</span>
      )}
    </p>
  )
}

/** The end user's rating. Editors can change it. */
function Rating({ sessionId, message }: ConversationMessageProps) {
  const isEditor = useMay('editor')
  const rate = useOperationMutation('rate_answer', {
    refreshes: ['get_conversation', 'list_conversations'],
  })
  const present = rate.isPending ? (rate.variables.rating ?? null) : message.rating
  const choose = (rating: 'up' | 'down') =>
    rate.mutate(
      {
        session_id: sessionId,
        message_id: message.id,
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
      {message.comment !== null && (
        <span className="min-w-0 text-sm break-words text-soft">{message.comment}</span>
      )}
    </div>
  )
}
