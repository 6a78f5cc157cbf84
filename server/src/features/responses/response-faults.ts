import { defineFaults } from '#kernel/fault.ts'

export const responseFaults = defineFaults({
  /** No response of this agent has the id. */
  response_unknown: 'not_found',
  /** It has no answer yet, or never got one. */
  response_unanswered: 'conflict',
  /** None of the items that a list contains has the id. */
  item_unknown: 'not_found',
  /** No conversation of this agent has the id. */
  conversation_unknown: 'not_found',
})
