import { OperationError } from '#api/operation-error.ts'
import { t } from '#texts/t.ts'

/** By the HTTP status of the error; 0 if the service could not be reached. */
const kinds = {
  0: 'offline',
  400: 'invalid',
  401: 'signedOut',
  402: 'noCredits',
  403: 'forbidden',
  404: 'missing',
  409: 'conflict',
  410: 'missing',
  413: 'tooLarge',
  415: 'invalid',
  422: 'invalid',
  429: 'limited',
  502: 'unavailable',
  503: 'unavailable',
} as const

/** The title of an error. A refusal is named for its kind: only a failure is one that "went wrong". */
export function titleOf(error: unknown): string {
  if (!(error instanceof OperationError)) return t('common.error.title')
  if (error.code === 'cut') return t('common.error.title')
  if (/limit_reached$|^too_many_/.test(error.code)) return t('common.error.titles.limited')
  const kind = kindOf(error.status)
  return kind === undefined ? t('common.error.title') : t(`common.error.titles.${kind}`)
}

function kindOf(status: number) {
  return isKnown(status) ? kinds[status] : undefined
}

function isKnown(status: number): status is keyof typeof kinds {
  return Object.hasOwn(kinds, status)
}
