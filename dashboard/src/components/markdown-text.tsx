import { useMemo } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import rehypeSanitize from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'
import { citationHash, markCitations } from './citation-marks.ts'
import { MarkdownCode } from './markdown-code.tsx'
import type { MarkdownProps } from './markdown.tsx'

/**
 * Three layers of defence: HTML in the text is dropped, the rest goes through the sanitiser's
 * allowlist, and React creates the elements, never from markup. Images become links, because loading
 * one would reveal the reader to its server.
 */
export function MarkdownText({ text, citation }: MarkdownProps) {
  const components = useMemo(
    () => (citation === undefined ? plain : withCitations(citation)),
    [citation],
  )
  return (
    <div dir="auto" className="markdown min-w-0 break-words">
      <ReactMarkdown
        skipHtml
        remarkPlugins={citation === undefined ? plugins : citing}
        rehypePlugins={walls}
        components={components}
      >
        {text}
      </ReactMarkdown>
    </div>
  )
}

const plugins = [remarkGfm]
const citing = [remarkGfm, markCitations]
const walls = [rehypeSanitize]

const plain: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow ugc">
      {children}
    </a>
  ),
  img: ({ src, alt }) => (
    <a
      href={typeof src === 'string' ? src : undefined}
      target="_blank"
      rel="noopener noreferrer nofollow ugc"
    >
      {alt === undefined || alt === '' ? src : alt}
    </a>
  ),
  pre: ({ children }) => <MarkdownCode>{children}</MarkdownCode>,
  table: ({ children }) => (
    <div className="overflow-x-auto">
      <table>{children}</table>
    </div>
  ),
}

function withCitations(citation: NonNullable<MarkdownProps['citation']>): Components {
  const Address = plain.a
  return {
    ...plain,
    a: (props) => {
      const { href = '', children } = props
      if (href.startsWith(citationHash))
        return citation(Number(href.slice(citationHash.length))) ?? children
      return typeof Address === 'function' ? <Address {...props} /> : null
    },
  }
}
