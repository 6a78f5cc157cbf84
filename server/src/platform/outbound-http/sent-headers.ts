/** Headers of RFC 9110 §7.6.1, and those that the client computes. */
const ownHeaders = new Set([
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'accept-encoding',
  'proxy-connection',
  'proxy-authorization',
])

/** The headers of a request, lowercase: the caller's, without those that the client itself sets. */
export function sentHeaders(given: Iterable<[string, string]>): Record<string, string> {
  const lowercase = Array.from(given, ([name, value]) => [name.toLowerCase(), value] as const)
  const allowed = lowercase.filter(([name]) => !ownHeaders.has(name))
  return { 'user-agent': 'Parley', ...Object.fromEntries(allowed) }
}
