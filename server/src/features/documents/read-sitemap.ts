import { gunzipSync } from 'node:zlib'
import { Fault } from '#kernel/fault.ts'
import { parse } from 'parse5'
import { decodeAll } from './decode-text.ts'
import { collectBytes, documentFaults, type DocumentReader } from './document.ts'
import { elementsOf, textOf } from './html-tree.ts'

/** sitemaps.org: one file holds at most 50 MB and 50,000 addresses. */
const maxBytes = 50 * 1024 * 1024
const maxAddresses = 50_000

/** A sitemap, or an index of them: the addresses are its links. */
export const readSitemap: DocumentReader = async (bytes, { charset }) => {
  const text = decodeAll(unpacked(await collectBytes(bytes)), charset)
  // Parsed as HTML, in which unknown elements are as good as any, but CDATA is a comment.
  const tree = parse(text.replaceAll(/<!\[CDATA\[|\]\]>/g, ''))
  const links: string[] = []
  for (const element of elementsOf(tree)) {
    if (element.tagName !== 'loc' || links.length >= maxAddresses) continue
    const address = textOf(element).trim()
    if (URL.canParse(address)) links.push(address)
  }
  if (links.length === 0) throw new Fault(documentFaults.document_damaged)
  const web = { canonical: null, links, mayIndex: false }
  return { title: null, pageCount: null, web, sections: [] }
}

function unpacked(bytes: Buffer): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    throw new Fault(documentFaults.document_damaged, {}, { cause: error })
  }
}
