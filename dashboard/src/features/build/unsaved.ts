import { createContext, use, useEffect } from 'react'

export const UnsavedContext = createContext<{ report(hasUnsaved: boolean): void } | null>(null)

/** Shows in the test chat that the agent answers without the unsaved changes. */
export function useReportUnsaved(hasUnsaved: boolean): void {
  const context = use(UnsavedContext)
  useEffect(() => {
    context?.report(hasUnsaved)
    return () => context?.report(false)
  }, [context, hasUnsaved])
}
