import { OperationError } from '#api/operation-error.ts'
import { t } from '#texts/t.ts'

/** The sentence for an error; one that is not the service's own reveals nothing about itself. */
export function messageOf(error: unknown): string {
  if (!(error instanceof OperationError)) return t('common.error.pageHint')
  if (error.code === 'offline') return t('common.error.offline')
  if (error.code === 'cut') return t('common.error.cut')
  return error.message
}
