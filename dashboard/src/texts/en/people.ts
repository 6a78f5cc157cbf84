/** Keys that former members know, and accounts that operators create. */
export const people = {
  rotation: {
    title: 'Keys to replace',
    hint: 'These keys and secrets still work, but a person who should no longer have access knows them. For a key, create a new one, switch to it, and revoke the old one. A secret is replaced at its chat page.',
    kinds: {
      chat: 'Chat key',
      acp: 'Checkout key',
      identity: 'Identity and moderation secret',
      link: 'Secret link',
    },
    reasons: {
      member_removed: '{name} saw it and was removed on {when}.',
      member_left: '{name} saw it and left on {when}.',
      role_lost: '{name} saw it and became a viewer on {when}.',
      password_reset: '{name} saw it; an operator reset their password on {when}.',
      person_disabled: '{name} saw it; an operator disabled their account on {when}.',
      account_claimed:
        'The account of {name} saw it, which the owner of its email took over on {when}.',
    },
    used: 'Last used {when}.',
    unused: 'Never used.',
    replace: 'Keys of {agent}',
    replaceSecret: 'Replace it at the chat page',
    keep: 'Keep',
    keepLabel: 'Keep {name}',
    kept: '{name} is kept',
    revoked: '{name} was revoked',
    revokeConfirm: 'Revoke {name}?',
    revokeWarning: 'Programs that use this key are refused from now on. You cannot undo this.',
  },
  accounts: {
    title: 'Accounts',
    hint: 'As an operator, you can create an account for a person outside this workspace. You vouch that the email is theirs.',
    hintWithoutMail:
      'As an operator, you can create an account for a person outside this workspace. This service has no mail server, so you vouch that the email is theirs.',
    create: 'Create account',
    createTitle: 'Create an account',
    createHint:
      'You vouch that the email belongs to the person. They choose a password with a link that only you see.',
    linkTitle: 'Give this link to the person',
    linkHint:
      'The link is shown only now. It works once, within a day. Anyone who has it can enter the account: send it to the person alone.',
    linkLabel: 'Set-up link',
  },
} as const
