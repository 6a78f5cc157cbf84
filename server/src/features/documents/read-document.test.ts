import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { DocumentFormat } from './document-format.ts'
import { readDocument } from './read-document.ts'

async function* piecesOf(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000)
}

async function textOf(format: DocumentFormat, bytes: Uint8Array): Promise<string> {
  const { sections } = await readDocument(format, piecesOf(bytes), { charset: null, url: null })
  let text = ''
  for await (const section of sections) text += section.text
  return text
}

describe('a text', () => {
  const said = 'Das Känguru hüpft über den Zaun, jeden Tag ein bisschen höher.'

  test.each([
    ['UTF-8', Buffer.from(said)],
    ['Windows-1252', Buffer.from(said, 'latin1')],
    ['UTF-16 with a byte order mark', Buffer.from(`\uFEFF${said}`, 'utf16le')],
    ['UTF-16 without one', Buffer.from(said, 'utf16le')],
    ['UTF-16 without one, the other way round', Buffer.from(said, 'utf16le').swap16()],
  ])('is read from %s', async (_, bytes) => {
    expect(await textOf('text', bytes)).toBe(said)
  })

  test('is read though a character of it is none', async () => {
    expect(await textOf('text', Buffer.from(`${said}\0\0`))).toContain('Känguru')
  })

  test.each(['text', 'csv', 'html'] as const)(
    'is not what a picture holds that is called one (%s)',
    async (format) => {
      const picture = Buffer.concat([Buffer.from('\x89PNG\r\n\x1A\n', 'latin1'), randomBytes(9000)])
      await expect(textOf(format, picture)).rejects.toMatchObject({ code: 'document_damaged' })
    },
  )
})

describe('a CSV', () => {
  test('may name what stands between its cells in a line of its own, as Excel has it', async () => {
    const csv = 'sep=;\r\nName;Note\r\nKiwi;green, sour, round\r\n'
    expect(await textOf('csv', Buffer.from(csv))).toBe(
      '| Name | Note |\n| --- | --- |\n| Kiwi | green, sour, round |\n',
    )
  })

  test('is not divided by what stands within quotes', async () => {
    const csv = 'Name,Note\n"a|b|c|d|e","f|g|h|i|j"\n'
    expect(await textOf('csv', Buffer.from(csv))).toContain('| Name | Note |')
  })
})

describe('a page that can be read to say that it is UTF-16', () => {
  test('is not', async () => {
    const page = '<meta charset="utf-16"><p>Größe</p>'
    expect(await textOf('html', Buffer.from(page))).toBe('Größe')
  })
})
