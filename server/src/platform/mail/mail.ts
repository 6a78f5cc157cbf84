/** Letters to people. */
export interface Mail {
  /** Never rejects: what a mail server says is an outcome. */
  send(letter: Letter): Promise<MailOutcome>
}

export interface Letter {
  /** The same in every attempt: receivers know a repetition by it. Letters, digits, `-` and `.`. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

export type MailOutcome =
  | { readonly status: 'sent' }
  /** For good (RFC 5321 §4.2.1: 5yz); `reason` is the server's code. */
  | { readonly status: 'refused'; readonly reason: string }
  /** Not reached, or asked to come again later. */
  | { readonly status: 'unavailable' }
