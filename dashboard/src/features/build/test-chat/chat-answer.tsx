import { useDeferredValue } from 'react'
import { withoutQuestion } from '#chat/without-question.ts'
import { FixLink } from '#components/error-text.tsx'
import { RotateCcw } from '#ui/icons.ts'
import { CopyButton } from '#components/copy-button.tsx'
import { Markdown } from '#components/markdown.tsx'
import { formatDuration } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { AnswerRating } from './answer-rating.tsx'
import { ChatCalls } from './chat-calls.tsx'
import { useCitation } from './use-citation.tsx'
import { ChatPrompt } from './chat-prompt.tsx'
import { ChatSources } from './chat-sources.tsx'
import type { ChatTurn } from './chat-turn.ts'

export interface ChatAnswerProps {
  readonly turn: ChatTurn
  /** Of the stored conversation. */
  readonly sessionId: string | undefined
  /** Asks a question that failed again; both are absent while another one is being answered. */
  readonly onRetry: (() => void) | undefined
  /** Answers the question again, from there on. */
  readonly onAgain: (() => void) | undefined
}

/** An answer with its tool calls, citations and figures. */
export function ChatAnswer({ turn, sessionId, onAgain, onRetry }: ChatAnswerProps) {
  // Keeps typing responsive while a long answer is rendered repeatedly.
  const answered = useDeferredValue(turn.answer)
  const text = turn.calls.length > 0 ? withoutQuestion(answered) : answered
  const { status, problem, citations, answer } = turn
  const citation = useCitation(citations, answer)
  return (
    <div className="flex min-w-0 flex-col gap-2.5 text-sm">
      <span className="sr-only">{`${t('build.chat.agent')}: `}</span>
      {turn.calls.length > 0 && (
        <ChatCalls calls={turn.calls} isCut={status === 'stopped' || status === 'failed'} />
      )}
      {text !== '' && <Markdown text={text} citation={citation} />}
      {status === 'running' && text === '' && <Thinking />}
      {status === 'done' && turn.answer === '' && (
        <p className="text-soft">{t('build.chat.nothing')}</p>
      )}
      {status === 'stopped' && <p className="text-xs text-soft">{t('build.chat.stopped')}</p>}
      {problem !== null && (
        <Notice tone="bad">
          <p>
            {problem} {turn.fix !== null && <FixLink fix={turn.fix} />}
          </p>
          {onRetry !== undefined && (
            <Button size="small" className="mt-2" onClick={onRetry}>
              {t('build.chat.again')}
            </Button>
          )}
        </Notice>
      )}
      {turn.citations.length > 0 && <ChatSources citations={turn.citations} answer={turn.answer} />}
      {turn.prompts.length > 0 && <ChatPrompt prompts={turn.prompts} />}
      {turn.figures !== null && <Figures figures={turn.figures} />}
      {status !== 'running' && turn.answer !== '' && (
        <div className="flex flex-wrap items-center gap-2">
          <CopyButton text={turn.answer} label={t('build.chat.answer')} />
          {onAgain !== undefined && problem === null && (
            <Button size="small" onClick={onAgain}>
              <RotateCcw aria-hidden />
              {t('build.chat.regenerate')}
            </Button>
          )}
          {sessionId !== undefined && turn.messageId !== null && (
            <AnswerRating sessionId={sessionId} messageId={turn.messageId} rating={turn.rating} />
          )}
        </div>
      )}
    </div>
  )
}

function Thinking() {
  return (
    <p className="flex items-center gap-2 text-soft">
      <span aria-hidden className="size-2 animate-ping rounded-full bg-accent" />
      {t('build.chat.thinking')}
    </p>
  )
}

function Figures({ figures }: { readonly figures: NonNullable<ChatTurn['figures']> }) {
  const { prompt_tokens: prompt, completion_tokens: completion, cost_micros: micros } = figures
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-0.5 text-xs text-soft">
      {figures.first_token_ms !== null && (
        <span>{t('build.chat.first', { duration: formatDuration(figures.first_token_ms) })}</span>
      )}
      <span>{t('build.chat.took', { duration: formatDuration(figures.latency_ms) })}</span>
      <span title={t('build.chat.tokensSplit', { prompt, completion })}>
        {t('build.chat.tokens', { count: prompt + completion })}
      </span>
      <span>{costOf(micros)}</span>
    </p>
  )
}

function costOf(micros: number | null): string {
  if (micros === null) return t('build.chat.priceUnknown')
  return micros === 0 ? t('build.chat.free') : t('build.chat.cost', { count: micros / 1_000_000 })
}
