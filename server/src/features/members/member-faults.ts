import { defineFaults, withFacts } from '#kernel/fault.ts'

export const memberFaults = defineFaults({
  /** A workspace always has an owner. */
  last_owner: 'conflict',
  /** `role` is the caller's, `given` the one they would give, `needs` the least that may do it. */
  role_not_yours_to_give: withFacts<{ role: string; given: string; needs: string }>('forbidden'),
  member_above_you: withFacts<{ role: string; theirs: string; needs: string }>('forbidden'),
  member_is_you: 'conflict',
  /** The workspace requires a second factor of its owners, and the member has none. */
  member_without_factor: withFacts<{ name: string }>('conflict'),
  already_member: 'conflict',
  /** The address received as many mailed invitations as it may in a day, from the workspace or from all. */
  invitations_limited: withFacts<{ email: string; retryAfterSeconds: number }>('limited'),
  /** The workspace has invited as many people as it may in a day. */
  workspace_invitations_limited: withFacts<{ limit: number; retryAfterSeconds: number }>('limited'),
  already_invited: withFacts<{ email: string }>('conflict'),
  /** Unknown, used, revoked or older than a week; callers do not learn which. */
  invitation_invalid: 'expired',
  /** It is for another person's e-mail. */
  invitation_for_another: withFacts<{ email: string }>('forbidden'),
})
