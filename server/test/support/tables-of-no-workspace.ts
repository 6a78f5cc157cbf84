/** Tables whose rows belong to no workspace, or are deleted within a day anyway. */
export const ofNoWorkspace = [
  'meta',
  'sequences',
  'users',
  'setup_links',
  'sign_in_sessions',
  'external_identities',
  'second_factors',
  'recovery_codes',
  'factor_challenges',
  'half_sign_ins',
  'openid_logouts',
  'oauth_clients',
  'rate_limits',
  'watermarks',
  'credit_prices',
  'credit_shares',
  'billing_events',
  'idempotency_records',
  'workspaces',
  'audit_chains', // Deleted in the purge's last unit.
  'schema_migrations',
]
