import { Notice } from '#ui/surfaces.tsx'
import { ErrorText } from './error-text.tsx'

/** Nothing without an error. */
export function ErrorNotice({ error }: { readonly error: Error | null }) {
  if (error === null) return null
  return (
    <Notice tone="bad">
      <ErrorText error={error} />
    </Notice>
  )
}
