import { t } from '#texts/t.ts'

const known = [
  'turn_aborted',
  'interrupted',
  'model_not_configured',
  'model_unreachable',
  'model_rejected',
  'model_bad_answer',
  'model_refused_request',
  'model_timeout',
  'model_limited',
] as const

/** Why an answer was cut short, in words, or the code if there is no text for it. */
export function cutReason(code: string): string {
  const found = known.find((one) => one === code)
  return found === undefined ? t('build.chat.cut', { reason: code }) : t(`build.chat.cuts.${found}`)
}
