import type { Rating } from './conversation-filter.ts'
import type { ConversationRow } from './reading-store.ts'

/** A stored chat session as people and their tools see it, without its messages. */
export interface Conversation {
  readonly id: string
  readonly appId: string
  readonly appNameId: string
  /** The version of the agent that the conversation began with. */
  readonly appVersion: number
  /** Its channel: `api`, … */
  readonly source: string
  /** The end user that the calling application names. */
  readonly endUser: string | null
  readonly messageCount: number
  readonly createdAt: number
  readonly lastMessageAt: number
}

/** A conversation in a list. */
export interface ListedConversation extends Conversation {
  /** The beginning of the user's first message. */
  readonly question: string | null
  /** The latest rating of one of its answers. */
  readonly rating: Rating | null
}

export function conversationFromRow(row: ConversationRow): Conversation {
  return {
    id: row.id,
    appId: row.agent_id,
    appNameId: row.app_name_id,
    appVersion: row.agent_version,
    source: row.source,
    endUser: row.end_user,
    messageCount: row.message_count,
    createdAt: row.created_at,
    lastMessageAt: row.last_message_at,
  }
}
