import { useEffect, type ReactNode } from 'react'
import { t } from '#texts/t.ts'

export interface PageHeadingProps {
  readonly title: string
  readonly hint?: ReactNode
  /** Buttons at its end. */
  readonly actions?: ReactNode
  /** Of the browser's tab, where the title alone would say too little. */
  readonly documentTitle?: string
}

/** The one h1 of a page; also the title of the tab, which a screen reader reads on arrival. */
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
