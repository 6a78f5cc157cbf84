import { Check, Copy } from '#ui/icons.ts'
import { useEffect, useState } from 'react'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'

export interface CopyButtonProps {
  readonly text: string
  /** Names what is copied, for screen readers. */
  readonly label?: string
}

export function CopyButton({ text, label }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setIsCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <Button
      size="small"
      {...(label === undefined || isCopied ? {} : { 'aria-label': `${t('common.copy')} ${label}` })}
      onClick={() => void copyText(text).then(() => setIsCopied(true))}
    >
      {isCopied ? <Check aria-hidden /> : <Copy aria-hidden />}
      <span aria-live="polite">{isCopied ? t('common.copied') : t('common.copy')}</span>
    </Button>
  )
}

/** `navigator.clipboard` is available only on https and localhost. Elsewhere `execCommand` copies. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return await navigator.clipboard.writeText(text)
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  document.execCommand('copy')
  field.remove()
}
