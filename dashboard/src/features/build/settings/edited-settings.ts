import { createContext, use, useEffect } from 'react'

/** The settings that are being edited, as the test chat needs them. */
export interface EditedSettings {
  /** Whether something is not saved in the draft yet. */
  readonly hasUnsaved: boolean
  /** Saves it, if it can be saved. */
  save(): Promise<void>
}

export const EditedContext = createContext<((edited: EditedSettings | null) => void) | null>(null)

/** Lets the test chat save the settings before it asks, so that it answers with them. */
export function useReportEdited({ hasUnsaved, save }: EditedSettings): void {
  const report = use(EditedContext)
  useEffect(() => {
    report?.({ hasUnsaved, save })
    return () => report?.(null)
  }, [report, hasUnsaved, save])
}
