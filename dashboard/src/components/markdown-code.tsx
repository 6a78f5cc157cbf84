import { t } from '#texts/t.ts'
import { CopyButton } from './copy-button.tsx'

/** A block of code in a text, with a button that copies it. */
export function MarkdownCode({ code }: { readonly code: string }) {
  return (
    <div dir="ltr" className="relative">
      {/* Focusable, so that the keyboard can scroll it sideways. The button is above the first line. */}
      <pre role="region" aria-label={t('common.code')} tabIndex={0} className="pt-11!">
        <code>{code}</code>
      </pre>
      <div className="absolute top-2 right-2">
        <CopyButton text={code} label={t('common.theCode')} />
      </div>
    </div>
  )
}
