/** The texts of every list of an agent's keys. */
export const keys = {
  name: 'Name',
  expiration: 'Expiration',
  expirations: { '30d': '30 days', '90d': '90 days', '1y': '1 year', never: 'Never' },
  shownTitle: 'Copy your key now',
  shownHint: 'This is the only time the key is shown. Parley stores only a hash of it.',
  shownLabel: 'API key',
  shownDone: 'I have copied it',
  revoke: 'Revoke',
  revokeLabel: 'Revoke {name}',
  revokeConfirm: 'Revoke {name}?',
  revokeWarning:
    'Programs that use this key are refused from their next request on. You cannot undo this.',
  revoked: 'Key {name} was revoked',
  created: 'Created {when}',
  used: 'Used {when}',
  usedFrom: 'Used {when} from {address}',
  unused: 'Never used',
  allowedAddresses: 'Allowed addresses',
  allowedAddressesHint:
    'Addresses or networks such as 203.0.113.0/24, separated by commas. Empty: any address.',
  addressCount: { one: '{count} allowed network', other: '{count} allowed networks' },
  noChecksum: 'No checksum',
  noChecksumHint:
    'An earlier release created this key. It keeps working, but leak scanners do not recognise it. Replace it with a new one.',
  expires: 'Expires {when}',
  expired: 'Expired',
  noExpiry: 'Never expires',
} as const
