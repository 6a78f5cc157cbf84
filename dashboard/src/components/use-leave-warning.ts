import { useBlocker } from '@tanstack/react-router'
import { t } from '#texts/t.ts'

/**
 * Asks before a page with unsaved changes is left, by a link or by closing the tab: in the browser's
 * own words and window, which need nothing of the page that goes.
 */
export function useLeaveWarning(hasChanges: boolean): void {
  useBlocker({
    // A change of the search alone stays on the page.
    shouldBlockFn: ({ current, next }) =>
      hasChanges && current.pathname !== next.pathname && !globalThis.confirm(t('common.unsaved')),
    enableBeforeUnload: () => hasChanges,
    disabled: !hasChanges,
  })
}
