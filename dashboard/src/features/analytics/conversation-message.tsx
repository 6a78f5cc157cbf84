import type { OutputOf } from '#api/call-operation.ts'
import { Markdown } from '#components/markdown.tsx'
import { Time } from '#components/time.tsx'
import {
  AnswerRating,
  ChatCalls,
  ChatSources,
  cutReason,
  useCitation,
} from '#features/build/index.ts'
import { formatDuration } from '#texts/format.ts'
import { t } from '#texts/t.ts'
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
        {message.reasoning !== null && (
          <details className="text-soft">
            <summary className="cursor-pointer">{t('analytics.conversation.reasoning')}</summary>
            <p className="mt-1 border-l-2 border-line pl-3 break-words whitespace-pre-wrap">
              {message.reasoning}
            </p>
          </details>
        )}
        {message.content !== '' && <Markdown text={message.content} citation={citation} />}
        {message.is_refusal && <p className="text-soft">{t('analytics.conversation.refusal')}</p>}
        {message.has_parts && <p className="text-soft">{t('analytics.conversation.parts')}</p>}
        {message.error_code !== null && <Notice tone="bad">{cutReason(message.error_code)}</Notice>}
        {message.citations.length > 0 && (
          <ChatSources citations={message.citations} answer={message.content} />
        )}
        {message.role === 'assistant' && <Figures message={message} />}
        {message.role === 'assistant' && (
          <AnswerRating
            sessionId={sessionId}
            messageId={message.id}
            rating={message.rating}
            comment={message.comment}
          />
        )}
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
