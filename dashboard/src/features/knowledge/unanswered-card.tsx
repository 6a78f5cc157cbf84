import { lazy, Suspense } from 'react'
import { useOperation } from '#api/use-operation.ts'
import { useAgent } from '#features/agents/index.ts'

export interface UnansweredCardProps {
  onAnswer(question: string): void
}

/** Loaded when there is a question to show: most agents have none. */
const UnansweredList = lazy(async () => ({
  default: (await import('./unanswered-list.tsx')).UnansweredList,
}))

/** Shows nothing while there are no unanswered questions, not even of test chats. */
export function UnansweredCard({ onAnswer }: UnansweredCardProps) {
  const input = { app_id: useAgent().id, limit: 1, include_tests: true }
  const { data } = useOperation('get_unanswered_questions', input)
  if (data === undefined || data.items.length === 0) return null
  return (
    <Suspense>
      <UnansweredList onAnswer={onAnswer} />
    </Suspense>
  )
}
