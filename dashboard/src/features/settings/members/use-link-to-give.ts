import { callOperation, type OutputOf } from '#api/call-operation.ts'
import { useMe } from '#api/me.ts'
import { OperationError } from '#api/operation-error.ts'
import { notifyError } from '#components/notify-error.ts'

/** A link that the inviting person gives to the invited one. */
export interface LinkToGive {
  readonly url: string
  /** With a set-up link, a person without an account gets one and joins. */
  readonly isSetUp: boolean
  readonly email: string | null
  readonly expiresAt: string
}

type Issued = Pick<OutputOf<'invite_member'>, 'email' | 'expires_at'> & { readonly link: string }

/** Whether invitations of this person need a vouched account: no mail can prove the address. */
export function useVouches(): boolean {
  const me = useMe()
  return me.is_operator && me.accepts_passwords && !me.sends_mail
}

/**
 * Turns the link of an invitation into the one to give away. Without a mail server, an operator vouches
 * for the invited address: the invitation then comes with the set-up link of a new account.
 */
export function useLinkToGive(): (issued: Issued) => Promise<LinkToGive> {
  const vouches = useVouches()
  return async ({ link, email, expires_at }) => {
    const invitation = { url: link, isSetUp: false, email, expiresAt: expires_at }
    if (!vouches || email === null) return invitation
    try {
      const account = await callOperation('create_account', { email })
      const url = new URL(account.set_up_link)
      url.searchParams.set('invitation', new URL(link).pathname.split('/').at(-1) ?? '')
      return { url: url.href, isSetUp: true, email, expiresAt: account.expires_at }
    } catch (error) {
      // A person who has an account here joins with the invitation alone.
      if (!(error instanceof OperationError && error.code === 'email_taken')) notifyError(error)
      return invitation
    }
  }
}
