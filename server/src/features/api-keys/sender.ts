/** The sender of a request. Functions, because most requests need none of these. */
export interface Sender {
  /** The exact address; null if it is unknown. */
  readonly address: () => string | null
  /** The address as it is stored: an IPv4 address or an IPv6 network. */
  readonly network: () => string
  readonly userAgent: () => string | undefined
}

/** A caller without a request. A key with allowed addresses refuses it. */
export const unknownSender: Sender = {
  address: () => null,
  network: () => 'unknown',
  userAgent: () => undefined,
}

const maxAgentLength = 200

/** The columns of a last use. */
export function lastUse(sender: Sender, now: number) {
  const agent = sender.userAgent()?.toWellFormed().replaceAll('\0', '').slice(0, maxAgentLength)
  return {
    last_used_at: now,
    last_used_address: sender.network(),
    last_used_agent: agent?.toWellFormed() ?? null,
  }
}
