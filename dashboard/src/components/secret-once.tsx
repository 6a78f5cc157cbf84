import { useId } from 'react'
import { CopyButton } from './copy-button.tsx'

export interface SecretOnceProps {
  readonly secret: string
  /** Names the secret and its copy button. */
  readonly label: string
}

/** A secret that is shown once, in full, with a copy button. */
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
