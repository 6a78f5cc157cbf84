import { isValidElement, type ReactNode } from 'react'
import { t } from '#texts/t.ts'
import { CopyButton } from './copy-button.tsx'

/** A block of code in a text, with a button that copies it. */
export function MarkdownCode({ children }: { readonly children?: ReactNode }) {
  return (
    <div dir="ltr" className="relative">
      {/* Focusable, so that the keyboard can scroll it sideways. The button is above the first line. */}
      <pre role="region" aria-label={t('common.code')} tabIndex={0} className="pt-11!">
        {children}
      </pre>
      <div className="absolute top-2 right-2">
        <CopyButton text={codeOf(children)} label={t('common.theCode')} />
      </div>
    </div>
  )
}

/** The text of the `code` element that Markdown puts into a block. */
function codeOf(children: ReactNode): string {
  if (!isValidElement<{ readonly children?: unknown }>(children)) return ''
  const { children: code } = children.props
  return typeof code === 'string' ? code.replace(/\n$/, '') : ''
}
