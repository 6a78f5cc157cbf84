import type { Attack } from './attack.ts'

const account = 'src/surfaces/account'
const identity = 'src/features/identity'

/** Attacks on accounts, sessions, second factors, the credentials of people, and their records. */
export const identityAttacks: readonly Attack[] = [
  {
    attack:
      'Session fixation: a planted cookie, also by another host of the domain, or one that was known before the sign-in',
    defence:
      'Every sign-in creates a new session and ends the browser’s earlier one; two values of a cookie count as none',
    tests: [
      { file: 'src/surfaces/http/cookies.test.ts', titles: ['with two values'] },
      {
        file: `${account}/login.test.ts`,
        titles: ['session fixation', 'a planted or malformed session cookie'],
      },
      {
        file: `${account}/second-factors.test.ts`,
        titles: ['the cookie of a half-finished sign-in'],
      },
    ],
  },
  {
    attack: 'A critical operation with an old session: each one, at every surface',
    defence: 'The dashboard asks again who it is; no other surface accepts the session',
    tests: [
      'src/surfaces/dashboard/unconfirmed-operations.test.ts',
      'src/surfaces/dashboard/confirmation.test.ts',
      `${account}/confirm-at-provider.test.ts`,
      { file: `${account}/change-factors.test.ts`, titles: ['only after a confirmation'] },
    ],
  },
  {
    attack: 'An old session that changes the e-mail address',
    defence: 'The account page asks again who it is, before anything changes',
    tests: [
      {
        file: `${account}/email.test.ts`,
        titles: ['of a person without a password needs a confirmation'],
      },
    ],
  },
  {
    attack: 'A second factor guessed, used twice, or skipped',
    defence: 'Codes work once and are limited; half a sign-in opens nothing',
    tests: [
      {
        file: `${account}/second-factors.test.ts`,
        titles: [
          'only then opens a session',
          'a code works once',
          'two steps away is wrong',
          'wrong codes are limited',
          'concurrent guesses',
          'is gone after that',
          'ends half-finished sign-ins',
          'refused from other sites',
        ],
      },
    ],
  },
  {
    attack: 'A second factor removed, replaced or read by another person',
    defence: 'Factors change only after a confirmation; their secrets are sealed',
    tests: [
      `${account}/change-factors.test.ts`,
      { file: `${account}/second-factors.test.ts`, titles: ['the secret is sealed'] },
    ],
  },
  {
    attack: 'A passkey’s answer for another origin, challenge or person, copied or replayed',
    defence: 'Origin, relying party, challenge, counter and signature are checked',
    tests: [`${account}/passkeys.test.ts`],
  },
  {
    attack: 'A recovery code used twice, of another person, or of an earlier list',
    defence: 'Codes are hashed with their person, deleted when used, and replaced together',
    tests: [
      {
        file: `${account}/second-factors.test.ts`,
        titles: [
          'a recovery code replaces',
          'of another person is wrong',
          'new recovery codes end',
        ],
      },
    ],
  },
  {
    attack: 'An account taken over with claims of an OpenID provider',
    defence: 'Only a verified address links an account, and an unproven account ends with it',
    tests: [
      {
        file: `${account}/openid.test.ts`,
        titles: [
          'a reassigned email',
          'account takeover',
          'an account with an unproven email',
          'login CSRF',
          'replay',
          'admits only that person',
        ],
      },
      {
        file: `${account}/pre-hijacking.test.ts`,
        titles: ['took before addresses had to be proven'],
      },
    ],
  },
  {
    attack: 'Logout tokens that are forged, old, replayed or for another audience',
    defence: 'Every claim is checked, and a token works once',
    tests: [`${account}/openid-logout.test.ts`],
  },
  {
    attack: 'Passwords where the provider alone signs people in',
    defence: 'No form, set-up link or old session accepts one',
    tests: [`${account}/openid-only.test.ts`],
  },
  {
    attack: 'An e-mail address taken over by a changed account',
    defence: 'The new mailbox confirms, and the old one can undo it',
    tests: [`${account}/email.test.ts`],
  },
  {
    attack: 'Credentials of a removed, disabled or reset person',
    defence:
      'One step ends them all; owners get a list of the keys and secrets that the person saw',
    tests: [
      `${identity}/end-all-credentials.test.ts`,
      'src/operations/known-page-secrets.test.ts',
      'test/tenancy/leaving.test.ts',
    ],
  },
  {
    attack: 'A session, key, guess or request that another process has not heard of',
    defence: 'Everything that decides is in the database that the processes share',
    tests: [
      'test/attacks/two-processes.test.ts',
      { file: 'src/surfaces/mcp/limits.test.ts', titles: ['shared by the processes'] },
    ],
  },
  {
    attack: 'Keys and grants beyond their workspaces and agents, in every operation',
    defence: 'Every request checks the credential’s reach',
    tests: [
      'src/operations/reach.test.ts',
      'src/operations/reach-over-time.test.ts',
      'src/surfaces/mcp/bound-credentials.test.ts',
    ],
  },
  {
    attack: 'Keys used from addresses that are not allowed, with forged forwarding headers',
    defence: 'Only what a trusted proxy saw counts as the address',
    tests: ['test/tenancy/allowed-addresses.test.ts', 'src/surfaces/http/service-address.test.ts'],
  },
  {
    attack: 'Audit entries changed, deleted, swapped or inserted by SQL',
    defence: 'Each workspace’s entries are a chain under the secret key, with the head kept apart',
    tests: [
      'src/features/audit/chain.test.ts',
      'src/features/audit/chain-life.test.ts',
      'src/features/audit/missing-events.test.ts',
    ],
  },
  {
    attack: 'Audit entries deleted by SQL as if they had expired',
    defence: 'Where old entries end is signed; nothing of a chain that was changed is deleted',
    tests: ['src/features/audit/expire-events.test.ts'],
  },
]
