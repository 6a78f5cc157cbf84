import { defineFaults } from '#kernel/fault.ts'

export const memberFaults = defineFaults({
  /** A workspace is never without an owner. */
  last_owner: 'conflict',
  /** Facts: `needs`, the role that may do it. */
  role_not_yours_to_give: 'forbidden',
  /** Facts: `needs`. */
  member_above_you: 'forbidden',
  member_is_you: 'conflict',
  already_member: 'conflict',
  /** Facts: `email`. */
  already_invited: 'conflict',
  /** Unknown, used, revoked, or its week is over: nobody learns which. */
  invitation_invalid: 'expired',
  /** It is for another person's e-mail. Facts: `email`. */
  invitation_for_another: 'forbidden',
})
