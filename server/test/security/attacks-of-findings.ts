import type { Attack } from './attack.ts'

const account = 'src/surfaces/account'
const identity = 'src/features/identity'

/** What an outside attack found, in the order of its report. */
export const findingAttacks: readonly Attack[] = [
  {
    attack: 'Account pre-hijacking by a link for another person’s address',
    defence: 'An account exists only for a proven mailbox or one that an operator vouches for',
    tests: [
      `${account}/pre-hijacking.test.ts`,
      `${account}/setup-invitation.test.ts`,
      `${identity}/end-all-credentials.test.ts`,
    ],
  },
  {
    attack: 'Model ids that change a provider’s path or evade a price',
    defence: 'A model id is parsed by its provider’s grammar before anything uses it',
    tests: ['src/features/providers/model-id.test.ts', 'src/surfaces/chat/model-ids.test.ts'],
  },
  {
    attack: 'Secrets sent to another host',
    defence: 'A secret names its hosts; any host is an owner’s explicit choice',
    tests: [
      'src/features/variables/hosts-of-secrets.test.ts',
      'src/features/actions/bind-secrets.test.ts',
    ],
  },
  {
    attack: 'One request that stalls everybody: 550,000 words, 800,000 lines, at four callers',
    defence: 'Work on text has a bound, and long work runs off the event loop or in slices',
    tests: [
      { file: 'test/attacks/stalling.load.test.ts', titles: ['stop no other request'] },
      { file: 'src/features/catalog/import-csv.test.ts', titles: ['of more than 5,000 lines'] },
    ],
  },
  {
    attack: 'Credits and rates multiplied by making workspaces',
    defence: 'All workspaces of one owner share them; workspaces per person are limited',
    tests: [
      'src/features/workspaces/workspace-limit.test.ts',
      'src/features/credits/shared-credits.test.ts',
      { file: 'src/surfaces/mcp/limits.test.ts', titles: ['one owner'] },
    ],
  },
  {
    attack: 'An owner locked out by guesses from many addresses',
    defence: 'A browser that signed in before has a budget of its own',
    tests: [`${account}/known-browser.test.ts`, `${identity}/guess-limits.test.ts`],
  },
  {
    attack: 'The card of an agent that sells nothing reveals its settings',
    defence: 'It contains the ids and the name alone',
    tests: [{ file: 'src/surfaces/acp/discovery.test.ts', titles: ['sells nothing'] }],
  },
  {
    attack: 'Documents, commands and answers of third parties that are huge, deep or endless',
    defence: 'They are bounded, and read in slices of time or by a bounded worker',
    tests: [
      'test/attacks/documents.load.test.ts',
      'src/kernel/json-bounds.test.ts',
      'src/platform/payments/stripe-client.test.ts',
    ],
  },
  {
    attack: 'JSON nested 100,000 deep, and too large, at every surface',
    defence: 'One reader bounds both',
    tests: [
      'src/kernel/json-slices.test.ts',
      { file: 'test/attacks/stalling.load.test.ts', titles: ['nested 100,000 deep'] },
    ],
  },
  {
    attack: 'Redirect hosts that add a source to a Content-Security-Policy',
    defence: 'Hosts are names or addresses; policies are built from parsed origins',
    tests: [
      { file: 'src/surfaces/oauth/register.test.ts', titles: ['refuses the redirect address'] },
      'src/surfaces/http/policy-source.test.ts',
    ],
  },
  {
    attack: 'Document workers that read the data folder',
    defence: 'A worker may read Parley’s code only',
    tests: ['src/platform/bounded-workers/bounded-workers.test.ts'],
  },
  {
    attack: 'Common and guessable passwords',
    defence: 'Length and strength are checked wherever a password is set',
    tests: [`${identity}/password-strength.test.ts`],
  },
  {
    attack: '1,500 slow bodies, 500 slow headers, and connections of one address without end',
    defence: 'Headers and bodies have deadlines; connections per address are limited',
    tests: ['test/attacks/slow-bodies.load.test.ts'],
  },
  {
    attack: 'One workspace that takes all model calls, workers or rows',
    defence: 'Fair slots and default rate limits; every kind of record has a limit',
    tests: [
      'src/platform/jobs/fair-jobs.test.ts',
      'src/features/quotas/record-limits.test.ts',
      'src/features/members/invitation-limit.test.ts',
      'src/features/pruning/prune-accounts.test.ts',
      'src/surfaces/chat/message-limit.test.ts',
      'src/features/analytics/usage.test.ts',
      'src/surfaces/chat/rate-limits.test.ts',
      'src/platform/fair-slots/fair-slots.test.ts',
      'src/surfaces/chat/neighbours.test.ts',
      'test/attacks/imports.load.test.ts',
    ],
  },
  {
    attack:
      'Calls of the dashboard’s API or messages to an agent without end, by a signed-in person',
    defence: 'They count for the person and for the agent, whatever the session or surface',
    tests: [
      'src/surfaces/dashboard/rate-limits.test.ts',
      { file: 'src/surfaces/mcp/calls.test.ts', titles: ['counts for the rate limit'] },
    ],
  },
  {
    attack: 'An owner without the required second factor, by every operation and credential',
    defence: 'The requirement is a column of the row that gives the role, checked with it',
    tests: ['test/security/owners-need-factor.test.ts', 'src/features/credits/operator.test.ts'],
  },
  {
    attack: 'Credentials created by a request whose own credential has just ended',
    defence: 'The credential is checked again in the unit that creates another',
    tests: ['test/security/late-credentials.test.ts'],
  },
  {
    attack: 'Credentials created by a request of a member who was just removed or demoted',
    defence: 'The role is checked again in the unit that creates them',
    tests: ['test/security/late-members.test.ts'],
  },
  {
    attack: 'Secrets in stored addresses, read by a viewer',
    defence: 'Such addresses are masked for those who may not change them',
    tests: [
      'src/operations/stored-addresses.test.ts',
      'src/features/webhooks/seal-addresses.test.ts',
    ],
  },
]
