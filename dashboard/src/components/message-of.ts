import { OperationError } from '#api/operation-error.ts'
import { t } from '#texts/t.ts'

/** The sentence for an error; one that is not the service's own reveals nothing about itself. */
export function messageOf(error: unknown): string {
  if (!(error instanceof OperationError)) return t('common.error.pageHint')
  if (error.code === 'offline') return t('common.error.offline')
  if (error.code === 'cut') return t('common.error.cut')
  // The service's sentence sends assistants to a list operation.
  if (error.code === 'record_not_found') return t('common.error.gone')
  return error.message
}
