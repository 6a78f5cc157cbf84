import { lazy, Suspense } from 'react'

const MarkdownText = lazy(async () => ({
  default: (await import('./markdown-text.tsx')).MarkdownText,
}))

/** Markdown from models and end users, sanitised. Shows the plain text until the renderer is loaded. */
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
