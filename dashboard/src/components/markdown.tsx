import { lazy, Suspense } from 'react'

const MarkdownText = lazy(async () => ({
  default: (await import('./markdown-text.tsx')).MarkdownText,
}))

/** Markdown of models and strangers, made safe; the plain text stands until the renderer is there. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <Suspense
      fallback={
        <p dir="auto" className="break-words whitespace-pre-wrap">
          {text}
        </p>
      }
    >
      <MarkdownText text={text} />
    </Suspense>
  )
}
