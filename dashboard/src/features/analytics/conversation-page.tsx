import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useInfiniteQuery } from '@tanstack/react-query'
import { ArrowLeft, Eraser } from '#ui/icons.ts'
import { useState } from 'react'
import { callOperation } from '#api/call-operation.ts'
import type { OutputOf } from '#api/call-operation.ts'
import { listKey } from '#api/operation-keys.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { ConfirmDialog } from '#components/confirm-dialog.tsx'
import { ErrorState, LoadingRows } from '#components/states.tsx'
import { Time } from '#components/time.tsx'
import { VirtualList } from '#components/virtual-list.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Badge } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import { ConversationMessage } from './conversation-message.tsx'
import { ConversationSummary } from './conversation-summary.tsx'
import { sourceName } from './source-name.ts'

type Conversation = OutputOf<'get_conversation'>

/** /agents/{appId}/analytics/conversations/{sessionId} */
export function ConversationPage() {
  const agent = useAgent()
  const { sessionId } = useParams({ from: '/agents/$appId/analytics/conversations/$sessionId' })
  const conversation = useConversation(sessionId)
  const { head, messages } = conversation
  return (
    <section className="flex flex-col gap-5">
      <Link
        to="/agents/$appId/analytics/conversations"
        params={{ appId: agent.app_name_id }}
        className="flex items-center gap-2 text-sm text-accent hover:underline"
      >
        <ArrowLeft className="size-4" aria-hidden />
        {t('analytics.conversation.back')}
      </Link>
      {conversation.error !== null ? (
        <ErrorState error={conversation.error} onRetry={conversation.refetch} />
      ) : head === undefined ? (
        <LoadingRows />
      ) : (
        <>
          <Head conversation={head} />
          {head.summary !== null && <ConversationSummary summary={head.summary} />}
          <VirtualList
            label={t('analytics.conversation.messages')}
            items={messages}
            keyOf={({ id }) => id}
            rowPixels={140}
            onEnd={conversation.more}
          >
            {(message) => <ConversationMessage sessionId={sessionId} message={message} />}
          </VirtualList>
        </>
      )}
    </section>
  )
}

/** The conversation, with messages that are loaded while the reader scrolls. */
function useConversation(sessionId: string) {
  const input = { session_id: sessionId, limit: 100 }
  const query = useInfiniteQuery({
    queryKey: listKey('get_conversation', input),
    queryFn: ({ pageParam, signal }) =>
      callOperation(
        'get_conversation',
        pageParam === null ? input : { ...input, cursor: pageParam },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.messages.next_cursor,
  })
  const canMore = query.hasNextPage && !query.isFetchingNextPage
  return {
    head: query.data?.pages[0],
    messages: query.data?.pages.flatMap((page) => page.messages.items) ?? [],
    error: query.error,
    more: canMore ? () => void query.fetchNextPage() : undefined,
    refetch: () => void query.refetch(),
  }
}

function Head({ conversation }: { readonly conversation: Conversation }) {
  const isAdmin = useMay('admin')
  const { end_user: user } = conversation
  return (
    <header className="flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-0">
        <h2 className="text-lg font-semibold">{t('analytics.conversation.title')}</h2>
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-soft">
          <span className="break-all">{user ?? t('analytics.anonymous')}</span>
          <Time value={conversation.created_at} />
          <span>{t('analytics.messageCount', { count: conversation.message_count })}</span>
          <span>{t('analytics.conversation.version', { version: conversation.app_version })}</span>
          <Badge>{sourceName(conversation.source)}</Badge>
        </p>
      </div>
      {isAdmin && user !== null && <EraseUser user={user} />}
    </header>
  )
}

/** Erases an end user's data with this agent, on their request. */
function EraseUser({ user }: { readonly user: string }) {
  const agent = useAgent()
  const navigate = useNavigate()
  const [isAsking, setIsAsking] = useState(false)
  const erase = useOperationMutation('erase_end_user', {
    refreshes: ['list_conversations', 'get_app_analytics'],
  })
  return (
    <>
      <Button size="small" onClick={() => setIsAsking(true)}>
        <Eraser aria-hidden />
        {t('analytics.conversation.erase')}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={t('analytics.conversation.eraseTitle', { user })}
        confirm={t('analytics.conversation.erase')}
        onConfirm={async () => {
          const { conversations: count } = await erase.mutateAsync({
            app_id: agent.id,
            end_user: user,
          })
          notify({ title: t('analytics.conversation.erased', { count }) })
          await navigate({
            to: '/agents/$appId/analytics/conversations',
            params: { appId: agent.app_name_id },
          })
        }}
      >
        {t('analytics.conversation.eraseWarning')}
      </ConfirmDialog>
    </>
  )
}
