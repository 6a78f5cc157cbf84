export type OutboundRefusal =
  /** Not a URL, or one without a host. */
  | 'bad_url'
  /** Neither `http:` nor `https:`, or not `https:` where that is required. */
  | 'scheme'
  /** `user:password@` in the URL. */
  | 'credentials_in_url'
  /** A port other than 80 and 443 on a host that the operator did not list. */
  | 'port'
  /**
   * The host is not an address on the public internet, or resolves to none: a private name and an
   * unknown name look alike.
   */
  | 'private_address'
  /** The connection failed or broke. */
  | 'unreachable'
  | 'too_many_redirects'
  /** The caller does not allow a redirect to this address. */
  | 'redirect_refused'
  | 'too_large'
  | 'timeout'
  /** A content encoding that was not requested, or a body that does not match it. */
  | 'bad_encoding'

/**
 * An outbound request that was refused or not completed. The message is for the log only: users who
 * could distinguish `private_address` from `unreachable` could scan this service's network.
 */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused'
  readonly reason: OutboundRefusal

  constructor(reason: OutboundRefusal, detail: string, options?: { cause?: unknown }) {
    super(detail, options)
    this.reason = reason
  }
}
