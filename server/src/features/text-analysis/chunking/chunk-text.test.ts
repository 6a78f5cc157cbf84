import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chunkText, maxChunkTokens } from './chunk-text.ts'

const paragraph = 'A sentence about nothing in particular. '.repeat(20).trim()

describe('splitting a text', () => {
  test('a chunk never crosses a heading, and carries the path of headings above it', () => {
    const text = [
      'Before all.',
      'Title\n=====\n\nIntro.',
      '## Part\n\nOne.',
      '#### Deep ####\n\nTwo.',
      '## Other part\n\nThree.',
      'Second\n---\n\nFour.',
    ].join('\n\n')
    expect(chunkText(text).map((chunk) => [chunk.heading, chunk.text])).toEqual([
      ['', 'Before all.'],
      ['Title', 'Intro.'],
      ['Title › Part', 'One.'],
      ['Title › Part › Deep', 'Two.'],
      ['Title › Other part', 'Three.'],
      ['Title › Second', 'Four.'],
    ])
  })

  test('paragraphs of one section share a chunk if they fit', () => {
    const chunks = chunkText(Array.from({ length: 6 }, () => paragraph).join('\n\n'))
    expect(chunks.map(({ text }) => text.split('\n\n').length)).toEqual([1, 1, 1, 1, 1, 1])
    const short = chunkText('One.\n\nTwo.\r\n\r\nThree.')
    expect(short).toMatchObject([{ text: 'One.\n\nTwo.\n\nThree.', ordinal: 0, page: null }])
  })

  test('a paragraph that is too long is split between sentences without overlap', () => {
    const sentences = Array.from({ length: 100 }, (_, n) => `This is sentence number ${n} of it.`)
    const chunks = chunkText(sentences.join(' '))
    expect(chunks.length).toBeGreaterThan(1)
    expect(chunks.map(({ text }) => text).join(' ')).toBe(sentences.join(' '))
    for (const { text } of chunks) expect(text).toMatch(/^This .* it\.$/s)
  })

  test('a split table repeats its head', () => {
    const rows = Array.from({ length: 200 }, (_, n) => `| item ${n} | ${n} euros |`)
    const chunks = chunkText(['Prices:', '| Name | Price |', '|---|---|', ...rows].join('\n'))
    expect(chunks.length).toBeGreaterThan(2)
    for (const { text } of chunks) expect(text).toContain('| Name | Price |\n|---|---|\n| item')
    const found = chunks.flatMap(({ text }) => text.match(/item \d+/g) ?? [])
    expect(found).toEqual(rows.map((_, n) => `item ${n}`))
  })

  test('a table head that is too long to repeat is written once', () => {
    const names = Array.from({ length: 80 }, (_, n) => `column${n}`)
    const row = `|${names.map((_, n) => `value${n}`).join('|')}|`
    const table = [`|${names.join('|')}|`, `|${names.map(() => '-').join('|')}|`, row, row]
    const kept = chunkText(table.join('\n')).map(({ text }) => text)
    expect(kept.join('\n').match(/column79/g)).toHaveLength(1)
    expect(kept.join('\n').match(/value79/g)).toHaveLength(2)
  })

  test('list items are not split', () => {
    const items = Array.from({ length: 100 }, (_, n) => `${n}. Item number ${n}\n   goes on here`)
    for (const { text } of chunkText(items.join('\n'))) {
      expect(text).toMatch(/^\d+\. Item/)
      expect(text).toMatch(/goes on here$/)
    }
  })

  test('a heading in code is code', () => {
    const text = '# Use\n\n```sh\n# install\n\nnpm start\n```\n\nThen wait.'
    expect(chunkText(text)).toMatchObject([
      { heading: 'Use', text: '```sh\n# install\n\nnpm start\n```\n\nThen wait.' },
    ])
  })

  test('a heading without text below it is text', () => {
    expect(chunkText('# Closed on Sundays')).toMatchObject([{ text: 'Closed on Sundays' }])
    expect(chunkText('# A\n# B\n\nb').map(({ text }) => text)).toEqual(['A', 'b'])
  })

  test('an empty text has no chunks', () => {
    for (const text of ['', ' \n\n\t', '\r\n']) expect(chunkText(text)).toEqual([])
  })

  test('an adversarial text is split in linear time', () => {
    const hostile = [
      ' ',
      '# ',
      '#',
      '|',
      '| ',
      '-',
      '- ',
      ' |-',
      '"',
      '. ',
      '=',
      '\n',
      '```\n',
      'x',
      '語',
      '.")',
    ]
    for (const part of hostile)
      for (const start of ['', '# a', 'a\n', '|a|\n|']) {
        const text = `${start}${part.repeat(Math.ceil(200_000 / part.length))}x`
        const started = performance.now()
        chunkText(text)
        expect(performance.now() - started, JSON.stringify(start + part)).toBeLessThan(1000)
      }
  }, 60_000)

  test('a line that is too long for a heading is text', () => {
    const line = `# ${'word '.repeat(100)}end`
    expect(chunkText(`${line}\n\nBelow.`)).toMatchObject([{ heading: '' }])
  })

  test('no chunk of any text is too long or empty, and no word is lost', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.constantFrom(
        '\n',
        '\n\n',
        '# ',
        '| a | b |\n|---|---|\n',
        '|x'.repeat(300),
        '\n|-|\n',
        '```\n',
        '- ',
        '\n---\n',
      ),
      fc.constantFrom(
        'x'.repeat(5000),
        '語'.repeat(1500),
        `${paragraph} `.repeat(3),
        '😀'.repeat(900),
      ),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        const words = pieces.map((_, n) => `keep${n}word`)
        const text = pieces
          .map((part, n) => `${part} ${words[n]} `)
          .join('')
          .toWellFormed()
        const chunks = chunkText(text)
        for (const [n, chunk] of chunks.entries()) {
          expect(chunk.ordinal).toBe(n)
          expect(chunk.text.trim()).not.toBe('')
          expect(chunk.tokenCount).toBeLessThanOrEqual(maxChunkTokens)
          expect(chunk.text.isWellFormed()).toBe(true)
        }
        const kept = chunks.map((chunk) => chunk.heading + chunk.text).join('')
        for (const word of words) expect(kept).toContain(word)
      }),
      { numRuns: 200 },
    )
  })
})
