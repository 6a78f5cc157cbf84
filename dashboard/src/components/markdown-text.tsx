import ReactMarkdown, { type Components } from 'react-markdown'
import rehypeSanitize from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'

/**
 * Three layers of defence: HTML in the text is dropped, the rest goes through the sanitiser's
 * allowlist, and React creates the elements, never from markup. Images become links, because loading
 * one would reveal the reader to its server.
 */
export function MarkdownText({ text }: { readonly text: string }) {
  return (
    <div dir="auto" className="markdown min-w-0 break-words">
      <ReactMarkdown skipHtml remarkPlugins={plugins} rehypePlugins={walls} components={components}>
        {text}
      </ReactMarkdown>
    </div>
  )
}

const plugins = [remarkGfm]
const walls = [rehypeSanitize]

const components: Components = {
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
  table: ({ children }) => (
    <div className="overflow-x-auto">
      <table>{children}</table>
    </div>
  ),
}
