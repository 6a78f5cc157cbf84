/** The question of `server/src/features/tool-calls/confirmation.ts`, which ends an answer. */
const question = /(?:^|\n\n)To go ahead, reply “yes”:(?:\n- [^\n]*)+$/

/**
 * An answer without Parley's question whether to make some calls: a card shows them, with buttons. Whoever
 * has only the text, such as a caller of the chat API, reads the question.
 */
export function withoutQuestion(answer: string): string {
  return answer.replace(question, '')
}
