import type { OutputOf } from '#api/call-operation.ts'
import { Time } from '#components/time.tsx'
import { t } from '#texts/t.ts'

type Summary = NonNullable<OutputOf<'get_conversation'>['summary']>

/** What the model reads in place of the older messages, as plain text, and what it has cost. */
export function ConversationSummary({ summary }: { readonly summary: Summary }) {
  const { prompt_tokens: read, completion_tokens: written, cost_micros: cost } = summary
  const { covers_seq: last } = summary
  return (
    <details className="rounded-2xl border border-line bg-quiet p-4 text-sm">
      <summary className="cursor-pointer font-medium">
        {last === 0
          ? t('analytics.conversation.summaryOfOrigin')
          : t('analytics.conversation.summary', { last })}
      </summary>
      <p className="mt-2 break-words whitespace-pre-wrap">{summary.content}</p>
      <p className="mt-2 flex flex-wrap gap-x-3 gap-y-0.5 text-xs text-soft">
        <Time value={summary.created_at} />
        <span className="font-mono break-all">{summary.model}</span>
        <span>{t('analytics.conversation.tokens', { count: read + written })}</span>
        <span>{t('analytics.conversation.credits', { count: cost / 1_000_000 })}</span>
      </p>
    </details>
  )
}
