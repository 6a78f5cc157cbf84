/**
 * The origin of an address as a person types it: `Shop.example/tea` is `https://shop.example`. What is no
 * address stays, and the service says why.
 */
export function originOf(typed: string): string {
  const text = typed.trim()
  const url = URL.parse(/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`)
  const isSite = url !== null && /^https?:$/.test(url.protocol)
  return isSite && text !== '' ? url.origin : text
}
