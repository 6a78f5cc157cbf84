/** A node of a Markdown tree (mdast), as far as this file reads it. */
interface MarkdownNode {
  type: string
  value?: string
  url?: string
  children?: MarkdownNode[]
}

/** Where the links lead; the renderer replaces them. */
export const citationHash = '#citation-'

/** A remark plugin: numbers in brackets become links, except in code and in other links. */
export function markCitations() {
  return (tree: MarkdownNode): void => markWithin(tree)
}

function markWithin(node: MarkdownNode): void {
  if (node.type === 'link' || node.children === undefined) return
  node.children = node.children.flatMap((child) => {
    if (child.type === 'text') return splitText(child.value ?? '')
    markWithin(child)
    return [child]
  })
}

function splitText(text: string): MarkdownNode[] {
  return text.split(/(\[\d{1,2}\])/).flatMap((value): MarkdownNode[] => {
    if (value === '') return []
    const number = /^\[(\d{1,2})\]$/.exec(value)?.[1]
    if (number === undefined) return [{ type: 'text', value }]
    const children = [{ type: 'text', value }]
    return [{ type: 'link', url: citationHash + number, children }]
  })
}
