import { lazy, Suspense, type ReactNode } from 'react'
import { isPlainText } from './is-plain-text.ts'
import { isBounded } from './markdown-bounds.ts'
import { PlainOnError } from './plain-on-error.tsx'

const MarkdownText = lazy(async () => ({
  default: (await import('./markdown-text.tsx')).MarkdownText,
}))

export interface MarkdownProps {
  readonly text: string
  /** Renders a citation such as `[1]`; null leaves its text. Must be the same function between renders. */
  citation?(number: number): ReactNode
}

/**
 * Markdown from models and end users, sanitised. Shows the plain text until the renderer is loaded; a
 * text without markup, such as most greetings, does not load it. A text that would stop the page or the
 * renderer stays plain.
 */
export function Markdown(props: MarkdownProps) {
  if (isPlainText(props.text))
    return (
      <div dir="auto" className="markdown min-w-0 break-words">
        <p>{props.text}</p>
      </div>
    )
  const plain = (
    <p dir="auto" className="break-words whitespace-pre-wrap">
      {props.text}
    </p>
  )
  if (!isBounded(props.text)) return plain
  return (
    <PlainOnError plain={plain}>
      <Suspense fallback={plain}>
        <MarkdownText {...props} />
      </Suspense>
    </PlainOnError>
  )
}
