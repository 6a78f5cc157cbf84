import { createElement, Fragment, useMemo, type ReactNode } from 'react'
import { readMarkdown, type MarkdownElement, type MarkdownNode } from '#chat/markdown.ts'
import { MarkdownCode } from './markdown-code.tsx'

export interface MarkdownProps {
  readonly text: string
  /** Renders a citation such as `[1]`; null leaves its text. */
  citation?(number: number): ReactNode
}

/**
 * Markdown from models and end users, read as the chat page reads it. React creates the elements, never
 * from markup. Images are links, because loading one would reveal the reader to its server.
 */
export function Markdown({ text, citation }: MarkdownProps) {
  const nodes = useMemo(() => readMarkdown(text), [text])
  return (
    <div dir="auto" className="markdown min-w-0 break-words">
      {allOf(nodes, citation)}
    </div>
  )
}

type Cite = MarkdownProps['citation']

function allOf(nodes: readonly MarkdownNode[], citation: Cite): ReactNode {
  return nodes.map((node, at) => <Fragment key={at}>{rendered(node, citation)}</Fragment>)
}

function rendered(node: MarkdownNode, citation: Cite): ReactNode {
  if (typeof node === 'string') return node
  if ('number' in node) return citation?.(node.number) ?? `[${node.number}]`
  if (node.tag === 'hr' || node.tag === 'br') return createElement(node.tag)
  return withChildren(node, allOf(node.children, citation))
}

function withChildren({ tag, start, href, children: nodes }: MarkdownElement, children: ReactNode) {
  if (tag === 'pre') return <MarkdownCode code={codeOf(nodes)} />
  if (tag === 'ol') return <ol start={start}>{children}</ol>
  if (tag === 'a')
    return (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow ugc">
        {children}
      </a>
    )
  if (tag === 'table')
    return (
      <div className="overflow-x-auto">
        <table>{children}</table>
      </div>
    )
  return createElement(tag, null, children)
}

/** The text of the `code` element in a block of code. */
function codeOf([node]: readonly MarkdownNode[]): string {
  return node !== undefined && typeof node === 'object' && 'tag' in node
    ? node.children.join('')
    : ''
}
