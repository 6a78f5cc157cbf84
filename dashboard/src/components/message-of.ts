import { OperationError } from '#api/operation-error.ts'
import { t } from '#texts/t.ts'

/** What a person is told of an error; what is none of the service's own tells nothing of itself. */
export function messageOf(error: unknown): string {
  if (!(error instanceof OperationError)) return t('common.error.pageHint')
  if (error.code === 'offline') return t('common.error.offline')
  if (error.code === 'cut') return t('common.error.cut')
  return error.message
}
