import { t } from '#texts/t.ts'

const names = {
  'knowledge.ingest': 'readSource',
  'knowledge.crawl': 'crawl',
  'knowledge.embed': 'embed',
  'checkout.settle_charge': 'settlePayment',
  'checkout.void_charge': 'voidPayment',
  'checkout.settle_refund': 'settleRefund',
  'checkout.deliver_webhook': 'webhook',
  'members.mail_invitation': 'invitation',
  'conversations.reindex': 'reindex',
  'responses.run': 'respond',
  'turns.summarize': 'summarize',
  'billing.end_extra_subscription': 'extraSubscription',
} as const

/** What a job does, in words, or its kind if there is no text for it. */
export function jobName(kind: string): string {
  const name = Object.entries(names).find(([known]) => known === kind)?.[1]
  return name === undefined ? kind : t(`settings.jobs.kinds.${name}`)
}
