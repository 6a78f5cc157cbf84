import { parse } from 'parse5'
import { decodeAll } from './decode-text.ts'
import type { DocumentReader, WebPage } from './document.ts'
import { collapse, htmlToMarkdown } from './html-to-markdown.ts'
import { attributeOf, elementsOf, firstElement, textOf } from './html-tree.ts'
import type { HtmlElement, HtmlNode } from './html-tree.ts'
import { readRobotsMeta } from './robots-directives.ts'

/** HTML Standard §4.2.5.4: it is within the first 1024 bytes. */
const charsetTag = /<meta[^>]+charset\s*=\s*["']?\s*([\w.:-]+)/i
const maxLinks = 2000

export const readHtml: DocumentReader = async (bytes, { charset, url }) => {
  const all = Buffer.concat(await Array.fromAsync(bytes))
  const tree = parse(decodeAll(all, charset ?? declaredCharset(all)))
  const text = htmlToMarkdown(mainPart(tree))
  return {
    title: titleOf(tree),
    web: webPageOf(tree, url),
    sections: [{ text, page: null, progress: 1 }],
  }
}

/** HTML Standard §13.2.3.2: a document whose tag can be read as ASCII is not UTF-16. */
function declaredCharset(bytes: Buffer): string | null {
  const declared = charsetTag.exec(bytes.subarray(0, 1024).toString('latin1'))?.[1] ?? null
  return declared !== null && /^utf-?16/i.test(declared) ? null : declared
}

function titleOf(tree: HtmlNode): string | null {
  const named = firstElement(tree, ({ tagName }) => tagName === 'title')
  const heading = firstElement(tree, ({ tagName }) => tagName === 'h1')
  for (const element of [named, heading]) {
    const text = element === null ? '' : collapse(textOf(element))
    if (text !== '') return text.slice(0, 500)
  }
  return null
}

/** The main part of a page, without what every page of the site repeats. */
function mainPart(tree: HtmlNode): HtmlNode {
  const isMain = (element: HtmlElement) =>
    element.tagName === 'main' || attributeOf(element, 'role') === 'main'
  const main = firstElement(tree, isMain)
  if (main !== null && textOf(main).trim() !== '') return main
  const articles = [...elementsOf(tree)].filter(({ tagName }) => tagName === 'article')
  const [only] = articles
  if (only !== undefined && articles.length === 1) return only
  return withoutPageHeader(firstElement(tree, ({ tagName }) => tagName === 'body') ?? tree)
}

/** Removes headers of the whole page, which contain its menu, unless they contain its title. */
function withoutPageHeader(body: HtmlNode): HtmlNode {
  if (!('childNodes' in body)) return body
  body.childNodes = body.childNodes.filter(
    (node) =>
      !('tagName' in node) ||
      node.tagName !== 'header' ||
      firstElement(node, ({ tagName }) => tagName === 'h1') !== null,
  )
  return body
}

function webPageOf(tree: HtmlNode, url: string | null): WebPage {
  let base = url ?? undefined
  let canonical: string | null = null
  const robots: string[] = []
  const links = new Set<string>()
  for (const element of elementsOf(tree)) {
    const href = attributeOf(element, 'href')
    if (element.tagName === 'base') base = resolve(href, base) ?? base
    else if (element.tagName === 'meta') robots.push(robotsOf(element))
    else if (element.tagName === 'link' && relOf(element).includes('canonical'))
      canonical ??= resolve(href, base)
    else if (element.tagName === 'a' && links.size < maxLinks) {
      const target = resolve(href, base)
      if (target !== null && !relOf(element).includes('nofollow')) links.add(target)
    }
  }
  const { mayIndex, mayFollow } = readRobotsMeta(robots)
  return { canonical, links: mayFollow ? [...links] : [], mayIndex }
}

function robotsOf(meta: HtmlElement): string {
  const name = attributeOf(meta, 'name')?.toLowerCase()
  if (name !== 'robots' && name !== 'parley') return ''
  return attributeOf(meta, 'content') ?? ''
}

function relOf(element: HtmlElement): string[] {
  return (attributeOf(element, 'rel') ?? '').toLowerCase().split(/\s+/)
}

/** Absolute, without its fragment; null for an address that is not http(s). */
function resolve(href: string | null, base: string | undefined): string | null {
  if (href === null || !URL.canParse(href, base)) return null
  const url = new URL(href, base)
  url.hash = ''
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null
}
