import { defineFaults, withFacts } from '#kernel/fault.ts'

export const responseFaults = defineFaults({
  /** No response of this agent has the id. */
  response_unknown: 'not_found',
  /** It has no answer yet, or never got one. */
  response_unanswered: 'conflict',
  /** None of the items that a list contains has the id. */
  item_unknown: 'not_found',
  /** No conversation of this agent has the id. */
  conversation_unknown: 'not_found',
  /** The response has a waiting caller, who alone can end it, and it was not stored as a stream. */
  not_background: 'invalid',
  /** The built-in model writes nothing of its own. */
  compaction_not_supported: 'invalid',
  /** The model reached its limit of output tokens before the summary ended. */
  summary_cut_off: 'unavailable',
  /** There is no message to summarize. */
  nothing_to_compact: 'invalid',
  /** `MAX_BACKGROUND_RESPONSES` of the agent wait or run. */
  background_full: withFacts<{ limit: number }>('limited'),
  /** `MAX_BACKGROUND_STREAMS` of the agent are open in this process. */
  background_streams_full: withFacts<{ limit: number }>('limited'),
})
