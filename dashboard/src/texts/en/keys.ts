/** What every list of an agent's keys says. */
export const keys = {
  name: 'Name',
  expiration: 'Expiration',
  expirations: { '30d': '30 days', '90d': '90 days', '1y': '1 year', never: 'Never' },
  shownTitle: 'Copy your key now',
  shownHint: 'It is shown this once. It is stored only as a hash, so nobody can show it again.',
  shownLabel: 'API key',
  shownDone: 'I have copied it',
  revoke: 'Revoke',
  revokeLabel: 'Revoke {name}',
  revokeConfirm: 'Revoke {name}?',
  revokeWarning:
    'Whatever uses this key is refused from its next request on. This cannot be undone.',
  revoked: 'Key {name} was revoked',
  created: 'Created {when}',
  used: 'Used {when}',
  unused: 'Never used',
  expires: 'Expires {when}',
  expired: 'Expired',
  noExpiry: 'Never expires',
} as const
