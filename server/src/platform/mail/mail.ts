/** Sends mail to people. */
export interface Mail {
  /** Never rejects: the mail server's reply is an outcome. */
  send(letter: Letter): Promise<MailOutcome>
}

export interface Letter {
  /** The same in every attempt, so receivers recognise a retry. Letters, digits, `-` and `.`. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

export type MailOutcome =
  | { readonly status: 'sent' }
  /** Permanently (RFC 5321 §4.2.1: 5yz); `reason` is the server's code. */
  | { readonly status: 'refused'; readonly reason: string }
  /** The server was not reached, or asked to retry later. */
  | { readonly status: 'unavailable' }
