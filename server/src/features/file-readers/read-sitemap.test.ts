import { describe, expect, test } from 'vitest'
import { readSitemap } from './read-sitemap.ts'

async function linksOf(text: string): Promise<readonly string[] | undefined> {
  async function* bytes() {
    yield Buffer.from(text)
  }
  return (await readSitemap(bytes(), { charset: null, url: null })).web?.links
}

describe('a sitemap', () => {
  const pages = ['https://example.com/a', 'https://example.com/b?x=1&y=2']

  test.each([
    [
      'XML',
      '<urlset><url><loc> https://example.com/a </loc></url><url><loc><![CDATA[https://example.com/b?x=1&y=2]]></loc></url></urlset>',
    ],
    ['a list of addresses', 'https://example.com/a\r\nhttps://example.com/b?x=1&y=2\r\n'],
  ])('may be %s', async (_, text) => {
    expect(await linksOf(text)).toEqual(pages)
  })

  test('may be empty but must be a sitemap', async () => {
    const empty = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"/>'
    expect(await linksOf(empty)).toEqual([])
    for (const text of ['<p>Sorry</p>', 'Sorry'])
      await expect(linksOf(text)).rejects.toMatchObject({ code: 'document_damaged' })
  })
})
