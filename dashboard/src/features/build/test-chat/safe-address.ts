/** Citations come from people and pages, so only web URLs become links. */
export function safeAddress(address: string | null): string | null {
  if (address === null) return null
  const url = URL.parse(address, location.origin)
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null
}
