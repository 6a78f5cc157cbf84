export type OutboundRefusal =
  /** Not a URL, or one without a host. */
  | 'bad_url'
  /** Neither `http:` nor `https:`, or not `https:` where that is demanded. */
  | 'scheme'
  /** `user:password@` in the URL. */
  | 'credentials_in_url'
  /** Another port than 80 and 443 on a host the operator did not list. */
  | 'port'
  /** The host is, or resolves to, an address that is not on the public internet. */
  | 'private_address'
  /** The connection could not be made or broke. */
  | 'unreachable'
  | 'too_many_redirects'
  | 'too_large'
  | 'timeout'
  /** A content encoding that was not asked for, or a body that is not what it says. */
  | 'bad_encoding'

/**
 * An outbound request that was not made or not finished. The message is for the log: shown to the
 * person who typed the URL, the difference between `private_address` and `unreachable` would make
 * this service a scanner of its own network.
 */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused'
  readonly reason: OutboundRefusal

  constructor(reason: OutboundRefusal, detail: string, options?: { cause?: unknown }) {
    super(detail, options)
    this.reason = reason
  }
}
