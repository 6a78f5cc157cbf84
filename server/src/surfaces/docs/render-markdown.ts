import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import { slugger } from './slug.ts'

export interface Heading {
  readonly id: string
  /** HTML. */
  readonly label: string
}

export interface Rendered {
  /** HTML. */
  readonly body: string
  /** The headings of the second level. */
  readonly headings: readonly Heading[]
}

/**
 * A page of the documentation as HTML. Micromark escapes HTML in the text.
 *
 * @param addressOf where a link or an image of the page leads; null for what is not served, which becomes text
 */
export function renderMarkdown(
  markdown: string,
  addressOf: (link: string) => string | null,
): Rendered {
  const source = markdown.replaceAll(/^<!--.*-->$/gm, '')
  const html = micromark(source, { extensions: [gfm()], htmlExtensions: [gfmHtml()] })
  const slug = slugger()
  const headings: Heading[] = []
  const body = html
    .replaceAll(/<h([2-6])>(.*?)<\/h\1>/g, (_, level: string, label: string) => {
      const id = slug(textOf(label))
      if (level === '2') headings.push({ id, label: label.replaceAll(/<\/?a[^>]*>/g, '') })
      return `<h${level} id="${id}">${label}</h${level}>`
    })
    .replaceAll(/<a href="([^"]*)">(.*?)<\/a>/g, (_, link: string, label: string) => {
      const address = addressOf(link)
      return address === null ? label : `<a href="${address}">${label}</a>`
    })
    .replaceAll(/<img src="([^"]*)" alt="([^"]*)" \/>/g, (_, link: string, alt: string) => {
      const address = addressOf(link)
      return address === null ? alt : `<img src="${address}" alt="${alt}" loading="lazy" />`
    })
    // A wide table or a long line scrolls, which the keyboard must reach.
    .replaceAll(
      '<table>',
      '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>',
    )
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0">')
  return { body, headings }
}

function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&amp;', '&')
    .replaceAll(/&(?:lt|gt|quot);/g, '')
}
