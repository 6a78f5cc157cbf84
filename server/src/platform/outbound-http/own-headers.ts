/** RFC 9110 §7.6.1 and what the client itself computes. */
const ownHeaders = new Set(
  'host connection keep-alive transfer-encoding content-length upgrade te trailer expect accept-encoding proxy-connection proxy-authorization'.split(
    ' ',
  ),
)

/** True for a header that this client sets itself: a caller may not override it. */
export function isOwnHeader(lowercaseName: string): boolean {
  return ownHeaders.has(lowercaseName)
}
