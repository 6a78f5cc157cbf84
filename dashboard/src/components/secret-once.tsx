import { useId } from 'react'
import { CopyButton } from './copy-button.tsx'

export interface SecretOnceProps {
  readonly secret: string
  /** What it is: also the name of the copy button. */
  readonly label: string
}

/** A secret that is shown this once: whole, selectable, with a button that copies it. */
export function SecretOnce({ secret, label }: SecretOnceProps) {
  const id = useId()
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-xl border border-line bg-quiet p-2 pl-4">
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <output id={id} className="min-w-0 flex-1 basis-48 font-mono text-sm break-all select-all">
        {secret}
      </output>
      <CopyButton text={secret} />
    </div>
  )
}
