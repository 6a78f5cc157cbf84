import { declineAwaiting } from '#features/tool-calls/index.ts'
import type { Citation } from '#features/turns/index.ts'
import type { Context } from '#platform/context.ts'
import { checksAnswers, isAllowed, type Moderated } from './moderation.ts'
import type { OpenPage } from './open-page.ts'
import { endUserOf } from './visit.ts'
import type { VisitClaims } from './visit-token.ts'

/** What a card shows of an action that waits for the visitor's consent. */
interface Card {
  readonly title: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/**
 * The cards, or none if a page checks its answers and their words may not be shown: a model wrote them. What
 * the visitor cannot see, they cannot confirm either.
 */
export async function allowedCards<Shown extends Card>(
  ctx: Parameters<typeof isAllowed>[0] & Pick<Context, 'db' | 'clock'>,
  page: OpenPage,
  visit: VisitClaims,
  { conversationId, cards }: { readonly conversationId: string; readonly cards: readonly Shown[] },
): Promise<readonly Shown[]> {
  if (cards.length === 0 || !checksAnswers(page)) return cards
  const text = cards.flatMap((card) => [card.title, ...wordsIn(card.arguments)]).join('\n')
  const given = { stage: 'answer', text, endUser: endUserOf(visit), conversationId } as const
  if (await isAllowed(ctx, page, given)) return cards
  await declineAwaiting(ctx, conversationId, null)
  return []
}

/**
 * The citations of an answer, or none if a page checks its answers and the words of a source may not be
 * shown.
 */
export async function allowedCitations(
  ctx: Parameters<typeof isAllowed>[0],
  page: OpenPage,
  given: Pick<Moderated, 'endUser' | 'conversationId'>,
  citations: readonly Citation[],
): Promise<readonly Citation[]> {
  if (citations.length === 0) return citations
  const words = citations.flatMap(({ title, heading, passage }) => [title, heading, passage])
  const text = words.join('\n')
  return (await isAllowed(ctx, page, { ...given, stage: 'answer', text })) ? citations : []
}

/** Each text by itself: in JSON, an escaped line break would join two words. */
function wordsIn(given: unknown): string[] {
  const words: string[] = []
  const left = [given]
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value)) {
        words.push(name)
        left.push(inner)
      }
    else words.push(String(value))
  }
  return words
}
