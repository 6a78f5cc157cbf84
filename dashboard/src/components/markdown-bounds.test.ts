import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import ReactMarkdown from 'react-markdown'
import rehypeSanitize from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'
import { describe, expect, test } from 'vitest'
import { isBounded } from './markdown-bounds.ts'

const plugins = { remarkPlugins: [remarkGfm], rehypePlugins: [rehypeSanitize] }

function parse(text: string): number {
  const before = process.cpuUsage()
  renderToStaticMarkup(createElement(ReactMarkdown, { skipHtml: true, ...plugins }, text))
  return process.cpuUsage(before).user / 1000
}

describe('a text is bounded', () => {
  test.each([
    '# Title\n\n- one\n  - two\n    - three\n\n> > quoted\n\n1. first\n2. second',
    '--------------------------------------------------\n\n* * *',
    `| a | b |\n|---|---|\n${'| **1** | [x](https://example.com) |\n'.repeat(200)}`,
    'A sentence with _emphasis_ and `code`. '.repeat(500),
  ])('if people write it (%#)', (text) => {
    expect(isBounded(text)).toBe(true)
  })

  test.each(['>', '> ', '- ', '* ', '1. ', '> - ', '  > 1) '])(
    'but not if it nests “%s”',
    (mark) => {
      expect(isBounded(mark.repeat(1_000))).toBe(false)
      expect(isBounded(`Hello\n\n${mark.repeat(1_000)}x`)).toBe(false)
    },
  )

  test.each(['[', '![', 'a*_', '*a ', '_a', '[a](b', '|a', '[^a]', '<', '~a', '`a', '&a', '\\'])(
    'and with as many “%s” as are allowed it is parsed in little time',
    (mark) => {
      const count = Array.from({ length: 5_000 }, (_, n) => n + 1)
      const most = count.findLast((n) => isBounded(mark.repeat(n))) ?? 0
      expect(most).toBeLessThan(5_000)
      expect(parse(mark.repeat(most))).toBeLessThan(3_000)
    },
  )

  test('up to a length', () => {
    expect(isBounded('x'.repeat(100_000))).toBe(true)
    expect(isBounded('x'.repeat(100_001))).toBe(false)
  })
})
