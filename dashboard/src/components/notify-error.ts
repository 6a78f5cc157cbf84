import { notify } from '#ui/toast.tsx'
import { messageOf } from './message-of.ts'
import { titleOf } from './title-of.ts'

/** Shows the error of an action that has no form to show it in. */
export function notifyError(error: unknown): void {
  notify({ title: titleOf(error), description: messageOf(error), tone: 'bad' })
}
