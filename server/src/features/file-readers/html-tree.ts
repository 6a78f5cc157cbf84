import type { DefaultTreeAdapterTypes } from 'parse5'

export type HtmlNode = DefaultTreeAdapterTypes.Node
export type HtmlElement = DefaultTreeAdapterTypes.Element

export function isElement(node: HtmlNode): node is HtmlElement {
  return 'tagName' in node
}

export function childrenOf(node: HtmlNode): readonly HtmlNode[] {
  return 'childNodes' in node ? node.childNodes : []
}

export function attributeOf(element: HtmlElement, name: string): string | null {
  return element.attrs.find((attribute) => attribute.name === name)?.value ?? null
}

/** Every element below a node, in document order. Not recursive, because trees can be deep. */
export function* elementsOf(root: HtmlNode): Generator<HtmlElement> {
  const stack = childrenOf(root).toReversed()
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isElement(node)) yield node
    for (const child of childrenOf(node).toReversed()) stack.push(child)
  }
}

/** The text below a node, with its white space. */
export function textOf(root: HtmlNode): string {
  const parts: string[] = []
  const stack = [root]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if ('value' in node) parts.push(node.value)
    else if (isElement(node) && node.tagName === 'br') parts.push('\n')
    for (const child of childrenOf(node).toReversed()) stack.push(child)
  }
  return parts.join('')
}

export function firstElement(root: HtmlNode, fits: (element: HtmlElement) => boolean) {
  for (const element of elementsOf(root)) if (fits(element)) return element
  return null
}
