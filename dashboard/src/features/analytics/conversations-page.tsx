import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { MessagesSquare, ThumbsDown, ThumbsUp } from '#ui/icons.ts'
import type { ItemOf } from '#api/call-operation.ts'
import { useOperationList } from '#api/use-operation.ts'
import { EmptyState, ListStates } from '#components/states.tsx'
import { Time } from '#components/time.tsx'
import { VirtualList } from '#components/virtual-list.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Badge, Card } from '#ui/surfaces.tsx'
import type { ConversationsSearch } from './analytics-search.ts'
import { ConversationFilters } from './conversation-filters.tsx'
import { ExportMenu } from './export-menu.tsx'
import { NoConversations } from './no-conversations.tsx'
import { RangeFields } from './range-fields.tsx'
import { endUserName } from './end-user-name.ts'
import { sourceName } from './source-name.ts'
import { momentsOf, rangeOf } from './time-range.ts'

type Conversation = ItemOf<'list_conversations'>

/** /agents/{appId}/analytics/conversations */
export function ConversationsPage() {
  const agent = useAgent()
  const navigate = useNavigate()
  const search = useSearch({ from: '/agents/$appId/analytics/conversations' })
  const range = momentsOf(rangeOf(search))
  const conversations = useOperationList(
    'list_conversations',
    { app_id: agent.id, limit: 50, ...range, ...filterOf(search) },
    { keepsItems: true },
  )
  const show = (next: ConversationsSearch) =>
    void navigate({
      to: '/agents/$appId/analytics/conversations',
      params: { appId: agent.app_name_id },
      search: next,
      replace: true,
    })
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <RangeFields
          search={search}
          onChange={({ days, from, to, source }) => {
            const { days: _, from: __, to: ___, source: ____, ...filters } = search
            show({
              ...filters,
              ...(days === undefined ? {} : { days }),
              ...(from === undefined ? {} : { from }),
              ...(to === undefined ? {} : { to }),
              ...(source === undefined ? {} : { source }),
            })
          }}
        />
        <ExportMenu range={range} />
      </div>
      <ConversationFilters search={search} onChange={show} />
      <ListStates
        list={conversations}
        isEmpty={conversations.items.length === 0}
        empty={<Nothing isFiltered={isFiltered(search)} />}
      >
        <Card className="py-1 sm:py-1">
          <VirtualList
            label={t('analytics.parts.conversations')}
            items={conversations.items}
            keyOf={({ id }) => id}
            rowPixels={72}
            onEnd={conversations.onEnd}
          >
            {(conversation) => <ConversationRow conversation={conversation} />}
          </VirtualList>
        </Card>
      </ListStates>
    </div>
  )
}

function Nothing({ isFiltered: filtered }: { readonly isFiltered: boolean }) {
  if (!filtered) return <NoConversations />
  return (
    <EmptyState
      icon={MessagesSquare}
      title={t('analytics.noneFound')}
      hint={t('analytics.noneFoundHint')}
    />
  )
}

/** True when a filter may be the reason for an empty list. */
function isFiltered(search: ConversationsSearch): boolean {
  return search.from !== undefined || Object.keys(filterOf(search)).length > 0
}

function filterOf({ query, rating, show, user, source }: ConversationsSearch) {
  return {
    ...(query === undefined ? {} : { query }),
    ...(rating === undefined ? {} : { rating }),
    ...(show === 'error' ? { has_error: true } : {}),
    ...(show === 'unanswered' ? { unanswered: true } : {}),
    ...(user === undefined ? {} : { end_user: user }),
    ...(source === undefined ? {} : { source }),
  }
}

function ConversationRow({ conversation }: { readonly conversation: Conversation }) {
  const agent = useAgent()
  const { question, rating } = conversation
  return (
    <Link
      to="/agents/$appId/analytics/conversations/$sessionId"
      params={{ appId: agent.app_name_id, sessionId: conversation.id }}
      className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line in-data-[index=0]:border-t-0 py-3.5 hover:bg-hover"
    >
      <span className="min-w-0 flex-1 basis-56">
        <span className="line-clamp-2 font-medium break-words">
          {question === null || question === '' ? t('analytics.noQuestion') : question}
        </span>
        <span className="mt-0.5 flex flex-wrap gap-x-3 text-[0.8125rem] text-soft">
          <span className="break-all">{endUserName(conversation.end_user)}</span>
          <span>{t('analytics.messageCount', { count: conversation.message_count })}</span>
          <Time value={conversation.created_at} />
        </span>
      </span>
      {rating === 'up' && (
        <ThumbsUp className="size-4 text-good" role="img" aria-label={t('analytics.up')} />
      )}
      {rating === 'down' && (
        <ThumbsDown className="size-4 text-bad" role="img" aria-label={t('analytics.down')} />
      )}
      <Badge>{sourceName(conversation.source)}</Badge>
    </Link>
  )
}
