import { createContext, use, useEffect } from 'react'

export const UnsavedContext = createContext<{ report(hasUnsaved: boolean): void } | null>(null)

/** Tells the test chat that it answers without what is typed beside it. */
export function useReportUnsaved(hasUnsaved: boolean): void {
  const context = use(UnsavedContext)
  useEffect(() => {
    context?.report(hasUnsaved)
    return () => context?.report(false)
  }, [context, hasUnsaved])
}
