import { OperationError } from '#api/operation-error.ts'
import { t } from '#texts/t.ts'

/** The sentence to show for an error. Errors that do not come from the service show no details. */
export function messageOf(error: unknown): string {
  if (!(error instanceof OperationError)) return t('common.error.pageHint')
  if (error.code === 'offline') return t('common.error.offline')
  if (error.code === 'cut') return t('common.error.cut')
  // The service's own sentence names a list operation, which helps only assistants.
  if (error.code === 'record_not_found') return t('common.error.gone')
  return error.message
}
