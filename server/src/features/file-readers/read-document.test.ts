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

/** The inverse of decoding, for encodings with characters of one byte or two. */
function encode(text: string, encoding: string): Buffer {
  const decoder = new TextDecoder(encoding)
  const bytesOf = new Map<string, number[]>()
  const all = Array.from({ length: 256 }, (_, byte) => byte)
  for (const first of all.slice(128))
    for (const second of all.slice(64)) {
      const character = decoder.decode(Uint8Array.of(first, second))
      if (character.length === 1) bytesOf.set(character, [first, second])
    }
  for (const byte of all) bytesOf.set(decoder.decode(Uint8Array.of(byte)), [byte])
  return Buffer.from([...text].flatMap((character) => bytesOf.get(character) ?? []))
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

  test.each([
    ['windows-1251', 'Возврат товара возможен в течение тридцати дней. Доставка бесплатная.'],
    ['koi8-r', 'Возврат товара возможен в течение тридцати дней. Доставка бесплатная.'],
    [
      'windows-1250',
      'Zażółć gęślą jaźń. Zwrot towaru jest możliwy w ciągu trzydziestu dni od otrzymania przesyłki.',
    ],
    ['windows-1256', 'يمكن إرجاع البضائع خلال ثلاثين يوما من تاريخ الاستلام. الشحن مجاني.'],
    ['shift_jis', '商品は三十日以内に返品できます。送料は無料です。'],
    ['euc-jp', '商品は三十日以内に返品できます。送料は無料です。'],
    ['gbk', '商品可在三十天内退货。运费免费。如有问题请联系客服。'],
    ['big5', '商品可在三十天內退貨。運費免費。如有問題請聯絡客服。'],
    ['euc-kr', '상품은 삼십일 이내에 반품할 수 있습니다. 배송비는 무료입니다.'],
  ])('in %s is detected by its letters at any length', async (encoding, sentence) => {
    const bytes = encode(sentence, encoding)
    expect(await textOf('text', bytes)).toBe(sentence)
    // Longer than the sample, which ends within a character.
    const many = Math.ceil(70_001 / bytes.length)
    const long = Buffer.concat([Buffer.from('1'), ...Array.from({ length: many }, () => bytes)])
    expect(await textOf('text', long)).toBe(`1${sentence.repeat(many)}`)
  })

  test.each(['José', 'Größe: 5 Äpfel', 'Renée, Liège; Björn, Malmö', '5 °C ± 1'])(
    'of a few words is western: %s',
    async (words) => {
      expect(await textOf('text', Buffer.from(words, 'latin1'))).toBe(words)
    },
  )

  test('is read although one of its characters is invalid', async () => {
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
  test('may name its separator in a first line, as in Excel', async () => {
    const csv = 'sep=;\r\nName;Note\r\nKiwi;green, sour, round\r\n'
    expect(await textOf('csv', Buffer.from(csv))).toBe(
      '| Name | Note |\n| --- | --- |\n| Kiwi | green, sour, round |\n',
    )
  })

  test('is not split inside quotes', async () => {
    const csv = 'Name,Note\n"a|b|c|d|e","f|g|h|i|j"\n'
    expect(await textOf('csv', Buffer.from(csv))).toContain('| Name | Note |')
  })
})

describe('a page whose charset tag says UTF-16', () => {
  test('is not read as UTF-16', async () => {
    const page = '<meta charset="utf-16"><p>Größe</p>'
    expect(await textOf('html', Buffer.from(page))).toBe('Größe')
  })
})
