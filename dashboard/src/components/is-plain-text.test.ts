import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import ReactMarkdown from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { describe, expect, test } from 'vitest'
import { isPlainText } from './is-plain-text.ts'

const shown = (text: string) =>
  renderToStaticMarkup(createElement(ReactMarkdown, { remarkPlugins: [remarkGfm] }, text))

describe('a text is plain', () => {
  test.each([
    'Good day! What can I brew for you?',
    'Guten Tag – womit kann ich helfen? (Bitte kurz.)',
    'مرحبا، كيف أساعدك؟',
    'Open: 9.30 to 18.00; 2 - 3 days, 50 % off.',
  ])('%s, and Markdown shows it as it is', (text) => {
    expect(isPlainText(text)).toBe(true)
    expect(shown(text)).toBe(`<p>${text}</p>`)
  })

  test.each([
    '**Hello**',
    '_Hello_',
    '# Hello',
    '- one',
    '+ one',
    '1. one',
    '2) two',
    '> quoted',
    'a `code`',
    '[link](https://example.com)',
    'https://example.com',
    'www.example.com',
    'ada@example.com',
    'one\n\ntwo',
    '    code',
    'R&copy;D',
    '<b>x</b>',
    '~~gone~~',
    'a \\* b',
  ])('but not %j, which Markdown changes', (text) => {
    expect(isPlainText(text)).toBe(false)
    expect(shown(text)).not.toBe(`<p>${text}</p>`)
  })
})
