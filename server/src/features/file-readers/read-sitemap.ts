import { gunzipSync } from 'node:zlib'
import { Fault } from '#kernel/fault.ts'
import { parse } from 'parse5'
import { decodeAll } from './decode-text.ts'
import { documentFaults, type DocumentReader } from './document.ts'
import { elementsOf, textOf } from './html-tree.ts'

/** sitemaps.org: a file has at most 50 MB and 50,000 addresses. */
const maxBytes = 50 * 1024 * 1024
const maxAddresses = 50_000

/** A sitemap or an index of sitemaps, in XML or as a list of addresses. They are its links. */
export const readSitemap: DocumentReader = async (bytes, { charset }) => {
  const text = decodeAll(unpacked(Buffer.concat(await Array.fromAsync(bytes))), charset)
  const addresses = text.includes('<') ? addressesOfXml(text) : text.split('\n')
  const links: string[] = []
  for (const address of addresses) {
    if (links.length >= maxAddresses) break
    if (URL.canParse(address.trim())) links.push(address.trim())
  }
  // An empty sitemap is valid; a text without any address is not a sitemap.
  if (links.length === 0 && !isEmptySitemap.test(text))
    throw new Fault(documentFaults.document_damaged)
  const isSitemapIndex = indexElement.test(text)
  return { web: { canonical: null, links, mayIndex: false, isSitemapIndex }, sections: [] }
}

const isEmptySitemap = /<(?:[\w-]+:)?(?:urlset|sitemapindex)[\s/>]/
const indexElement = /<(?:[\w-]+:)?sitemapindex[\s/>]/

function* addressesOfXml(text: string): Generator<string> {
  // Parsed as HTML, which allows unknown elements but reads CDATA as a comment.
  const tree = parse(text.replaceAll(/<!\[CDATA\[|\]\]>/g, ''))
  for (const element of elementsOf(tree)) if (element.tagName === 'loc') yield textOf(element)
}

function unpacked(bytes: Buffer): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    throw new Fault(documentFaults.document_damaged, {}, { cause: error })
  }
}
