import { notify } from '#ui/toast.tsx'
import { basePath } from '#api/base-path.ts'
import { t } from '#texts/t.ts'
import { fixOf, type Fix } from './fix-of.ts'
import { messageOf } from './message-of.ts'
import { titleOf } from './title-of.ts'

/** Shows the error of an action that has no form to show it in. */
export function notifyError(error: unknown): void {
  const fix = fixOf(error)
  notify({
    title: titleOf(error),
    description: messageOf(error),
    tone: 'bad',
    ...(fix === null ? {} : { action: actionOf(fix) }),
  })
}

/** Notifications are outside of the router, so the browser opens the page. */
function actionOf({ to, label }: Fix) {
  return {
    label: t(`common.error.fixes.${label}`),
    onSelect: () => location.assign(`${basePath}${to}${location.search}`),
  }
}
