import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ItemOf } from '#api/call-operation.ts'
import { useOperation } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { Time } from '#components/time.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Card, CardHeading } from '#ui/surfaces.tsx'
import { Switch } from '#ui/switch.tsx'

/** How many questions are shown at first, and at most. */
const few = 10
const most = 100

export interface UnansweredListProps {
  onAnswer(question: string): void
}

/** The questions to which the knowledge had no answer. Those of test chats are shown on demand. */
export function UnansweredList({ onAnswer }: UnansweredListProps) {
  const agent = useAgent()
  const [isTested, setIsTested] = useState(false)
  const [isWhole, setIsWhole] = useState(false)
  // One more than is shown says whether there are more.
  const limit = isWhole ? most : few + 1
  const input = { app_id: agent.id, limit, include_tests: isTested }
  const { data } = useOperation('get_unanswered_questions', input)
  const items = data?.items ?? []
  const shown = isWhole ? items : items.slice(0, few)
  return (
    <Card>
      <CardHeading title={t('knowledge.unanswered.title')} hint={t('knowledge.unanswered.hint')} />
      <div className="pb-3">
        <Switch label={t('knowledge.unanswered.tests')} checked={isTested} onChange={setIsTested} />
      </div>
      <ul aria-label={t('knowledge.unanswered.title')}>
        {shown.map((item) => (
          <li
            key={item.question}
            className="flex flex-wrap items-start gap-x-4 gap-y-2 border-t border-line py-3"
          >
            <Question item={item} onAnswer={() => onAnswer(item.question)} />
          </li>
        ))}
      </ul>
      {data?.items.length === 0 && (
        <p role="status" className="border-t border-line pt-3 text-sm text-soft">
          {t('knowledge.unanswered.onlyTests')}
        </p>
      )}
      {shown.length < items.length && (
        <Button onClick={() => setIsWhole(true)}>{t('knowledge.unanswered.more')}</Button>
      )}
    </Card>
  )
}

interface QuestionProps {
  readonly item: ItemOf<'get_unanswered_questions'>
  onAnswer(): void
}

function Question({ item, onAnswer }: QuestionProps) {
  const { app_name_id: appId } = useAgent()
  const isEditor = useMay('editor')
  const { question, count, others, last_asked_at: when, session_id: sessionId } = item
  return (
    <>
      <div className="min-w-0 flex-1 basis-60">
        <p dir="auto" className="text-sm font-medium break-words">
          {question}
        </p>
        {others.length > 0 && (
          <p dir="auto" className="text-[0.8125rem] break-words text-soft">
            {others.join(' · ')}
          </p>
        )}
        <p className="mt-0.5 flex flex-wrap gap-x-3 text-[0.8125rem] text-soft">
          <span>{t('knowledge.unanswered.asked', { count })}</span>
          <Link
            to="/agents/$appId/analytics/conversations/$sessionId"
            params={{ appId, sessionId }}
            className="text-accent hover:underline"
          >
            {t('knowledge.unanswered.conversation')}
            <span className="sr-only">{`: ${question}`}</span>
          </Link>
          <Time value={when} relative />
        </p>
      </div>
      {isEditor && (
        <Button
          size="small"
          onClick={onAnswer}
          aria-label={`${t('knowledge.unanswered.answer')}: ${question}`}
        >
          {t('knowledge.unanswered.answer')}
        </Button>
      )}
    </>
  )
}
