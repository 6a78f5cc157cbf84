import { useEffect, type ReactNode } from 'react'
import { t } from '#texts/t.ts'

export interface PageHeadingProps {
  readonly title: string
  readonly hint?: ReactNode
  /** Buttons at the end of the heading. */
  readonly actions?: ReactNode
  /** The title of the browser tab, if `title` alone is not specific enough. */
  readonly documentTitle?: string
}

/** The h1 of a page. It also sets the title of the tab, which screen readers announce on arrival. */
export function PageHeading({ title, hint, actions, documentTitle = title }: PageHeadingProps) {
  useEffect(() => {
    document.title = `${documentTitle} · ${t('shell.product')}`
  }, [documentTitle])
  return (
    <header className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-4">
      <div className="min-w-0">
        <h1 className="text-2xl font-semibold tracking-tight break-words">{title}</h1>
        {hint !== undefined && <p className="mt-1 max-w-prose text-soft">{hint}</p>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
    </header>
  )
}
