import { t } from '#texts/t.ts'
import { notify } from '#ui/toast.tsx'
import { messageOf } from './message-of.ts'

/** Shows the error of an action that has no form to show it in. */
export function notifyError(error: unknown): void {
  notify({ title: t('common.error.title'), description: messageOf(error), tone: 'bad' })
}
