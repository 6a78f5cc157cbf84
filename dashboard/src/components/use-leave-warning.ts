import { useBlocker } from '@tanstack/react-router'
import { t } from '#texts/t.ts'

/**
 * Asks before the user leaves a page with unsaved changes, by a link or by closing the tab. It uses
 * the browser's own dialog, which does not depend on the page that closes.
 */
export function useLeaveWarning(hasChanges: boolean): void {
  useBlocker({
    // If only the search parameters change, the page stays.
    shouldBlockFn: ({ current, next }) =>
      hasChanges && current.pathname !== next.pathname && !globalThis.confirm(t('common.unsaved')),
    enableBeforeUnload: () => hasChanges,
    disabled: !hasChanges,
  })
}
