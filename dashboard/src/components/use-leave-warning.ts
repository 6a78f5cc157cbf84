import { useBlocker } from '@tanstack/react-router'
import { t } from '#texts/t.ts'

/**
 * Asks before the user leaves a page with unsaved changes, by a link or by closing the tab. It uses
 * the browser's own dialog, which does not depend on the page that closes.
 *
 * @param isLost whether closing the tab loses changes; a page may save them when it is left by a link
 * @param keeps whether the next page shows the same changes
 */
export function useLeaveWarning(
  hasChanges: boolean,
  isLost = hasChanges,
  keeps: (current: string, next: string) => boolean = samePage,
): void {
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      hasChanges &&
      !keeps(current.pathname, next.pathname) &&
      !globalThis.confirm(t('common.unsaved')),
    enableBeforeUnload: () => isLost,
    disabled: !hasChanges && !isLost,
  })
}

/** If only the search parameters change, the page stays. */
const samePage = (current: string, next: string) => current === next
