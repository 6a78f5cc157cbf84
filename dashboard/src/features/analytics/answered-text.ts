import { formatPercent } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import type { Analytics } from './analytics.ts'

/** What a model answered: how many turns, which share of all, and what they cost, if it has a price. */
export function answeredText({
  turns,
  share,
  cost_micros: micros,
}: Analytics['top_models'][number]): string {
  const parts = [t('analytics.answers', { count: turns }), formatPercent(share)]
  const cost =
    micros === null
      ? t('analytics.figures.priceUnknown')
      : t('analytics.conversation.credits', { count: micros / 1_000_000 })
  return [...parts, cost].join(' · ')
}
