import { useBlocker } from '@tanstack/react-router'
import { t } from '#texts/t.ts'

/** Asks before a page with unsaved changes is left, by a link or by closing the tab. */
export function useLeaveWarning(hasChanges: boolean): void {
  useBlocker({
    // A change of the search alone stays on the page.
    shouldBlockFn: ({ current, next }) =>
      hasChanges &&
      current.pathname !== next.pathname &&
      // eslint-disable-next-line no-alert -- the browser's own question works without a page
      !globalThis.confirm(t('common.unsaved')),
    enableBeforeUnload: () => hasChanges,
    disabled: !hasChanges,
  })
}
