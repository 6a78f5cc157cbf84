import type { Attack, AttackGroup } from './attack.ts'
import { findingAttacks } from './attacks-of-findings.ts'
import { fileAttacks } from './attacks-of-files.ts'
import { visitorAttacks } from './attacks-of-visitors.ts'
import { identityAttacks } from './attacks-on-identity.ts'

const oauth = 'src/surfaces/oauth'
const grants = 'src/features/grants'

const codes: readonly Attack[] = [
  {
    attack: 'Redirect to an address that is not the client’s',
    defence: 'Redirect addresses match exactly; loopback differs by its port alone',
    tests: [`${oauth}/authorize.test.ts`],
  },
  {
    attack: 'Registration of clients with dangerous addresses, names or logos, and in masses',
    defence: 'Schemes and hosts are listed, names are one line of text, registrations are limited',
    tests: [`${oauth}/register.test.ts`],
  },
  {
    attack: 'Code: replay, another client, another redirect, two redemptions at once, late',
    defence: 'A code works once, for one client and address; a replay ends its tokens',
    tests: [`${grants}/redeem-code.test.ts`],
  },
  {
    attack: 'PKCE: missing, plain, wrong or downgraded; parameters twice or of another type',
    defence: 'S256 is required; a wrong verifier uses the code up',
    tests: [{ file: `${oauth}/token.test.ts`, titles: ['refuses'] }],
  },
  {
    attack: 'Guesses at the token endpoint, one by one and a hundred at once',
    defence: 'Failed calls per address are limited, and successful ones are not counted',
    tests: [
      { file: `${oauth}/token.test.ts`, titles: ['brute force', 'OAUTH_FAILED_CALLS_LIMIT'] },
      `${oauth}/failure-limit.test.ts`,
    ],
  },
  {
    attack: 'Revocation of another client’s token, and what an unknown token reveals',
    defence: 'A token ends only for its client; the answer is the same for every token',
    tests: [
      { file: `${oauth}/token.test.ts`, titles: ['the revocation endpoint'] },
      `${grants}/connected-apps.test.ts`,
    ],
  },
  {
    attack: 'Addresses of client metadata: another client’s id, private hosts, scripts',
    defence: 'The document names its own address and is read through the outbound port',
    tests: [`${grants}/client-document.test.ts`],
  },
  {
    attack: 'Refresh token: reuse, another client, more scope, two at once',
    defence: 'Each refresh ends the old pair; a late reuse ends the family',
    tests: [`${grants}/refresh-tokens.test.ts`],
  },
  {
    attack: 'Consent: CSRF, clickjacking, replay, another person’s session, tampering, silence',
    defence: 'A token per browser and request, no frames, no scripts, every client asks',
    tests: [`${oauth}/consent-attacks.test.ts`, `${oauth}/consent-reach.test.ts`],
  },
  {
    attack: 'Secrets in logs, Referer, URLs',
    defence:
      'Logs mask credentials; pages send no Referer to other sites; no token is read from a query',
    tests: [`${oauth}/secrets.test.ts`, 'src/platform/log.test.ts'],
  },
]

const mcp: readonly Attack[] = [
  {
    attack: 'Calls from a foreign web page, DNS rebinding, forms',
    defence: 'Origin, Host and content type are checked first',
    tests: [{ file: 'src/surfaces/mcp/attacks.test.ts', titles: ['from a web page'] }],
  },
  {
    attack: 'More requests than a plan allows, in batches, with several keys, in several processes',
    defence: 'Requests count for the person and workspace, whatever the key or process',
    tests: ['src/surfaces/mcp/limits.test.ts'],
  },
  {
    attack: 'Tokens of another kind, audience or person; revoked and expired ones',
    defence: 'Each kind of credential opens one surface, and every request looks it up',
    tests: [
      { file: 'src/surfaces/mcp/attacks.test.ts', titles: ['with anything but', 'with a revoked'] },
      'src/surfaces/mcp/bound-credentials.test.ts',
    ],
  },
  {
    attack: 'Bodies: deep JSON, batches, headers that disagree, prototypes, forged state',
    defence: 'Depth and size are bounded; each request of a batch counts; nothing is trusted twice',
    tests: [{ file: 'src/surfaces/mcp/attacks.test.ts', titles: ['with a body'] }],
  },
  {
    attack: 'Records of another tenant by id; caches; prompt injection in quoted text',
    defence: 'Every query names the workspace; quoted text is marked as data',
    tests: ['src/surfaces/mcp/attacks-on-records.test.ts'],
  },
  {
    attack: 'SSRF: private addresses in any notation, redirects, slow or large answers',
    defence: 'The address that was checked is the one that is dialled; each redirect is checked',
    tests: [
      'src/features/actions/outbound-attacks.test.ts',
      'src/platform/outbound-http/address-policy.test.ts',
    ],
  },
  {
    attack: 'SSRF by the address of a page, a redirect of it, a webhook or a typed provider',
    defence: 'All of them use the outbound port, and a refused address looks unreachable',
    tests: [
      {
        file: 'src/features/ingestion/page-failures.test.ts',
        titles: [
          'looks like an unreachable address',
          'a redirect into',
          'a redirect to a file',
          'a port other',
        ],
      },
      {
        file: 'src/features/webhooks/order-webhooks.test.ts',
        titles: ['does not reach into private networks'],
      },
      'src/operations/unreachable-names.test.ts',
    ],
  },
]

const owasp: readonly Attack[] = [
  {
    attack: 'API1 Object level authorization: another tenant’s id in every route and operation',
    defence: 'Every query of a tenant’s rows filters by the workspace',
    tests: ['test/tenancy/routes.test.ts', 'src/operations/tenancy.test.ts'],
  },
  {
    attack: 'API2 Authentication: guessing, enumeration, login CSRF, forged cookies',
    defence: 'Attempts are limited, answers are alike, forms come from Parley’s own pages',
    tests: [
      { file: 'src/surfaces/account/login.test.ts', titles: ['attacks'] },
      { file: 'src/surfaces/http/same-origin.test.ts', titles: ['are refused from'] },
    ],
  },
  {
    attack: 'API3 Property level authorization: fields that a caller may not set or see',
    defence: 'Inputs and outputs are strict schemas',
    tests: [{ file: 'src/surfaces/mcp/attacks.test.ts', titles: ['a field named'] }],
  },
  {
    attack: 'API4 Resource consumption: memory, rows and time of generated requests',
    defence: 'Sizes, depths and rates are bounded',
    tests: [
      { file: 'test/security/fuzz.test.ts', titles: ['leave no'] },
      { file: 'src/operations/refusal-turns.test.ts', titles: ['leaves'] },
    ],
  },
  {
    attack: 'API5 Function level authorization: every operation in every role',
    defence: 'Each operation declares its role and scope; the runner checks them',
    tests: ['test/tenancy/roles.test.ts', 'test/tenancy/leaving.test.ts'],
  },
  {
    attack: 'API6 Sensitive business flows: checkouts in a hurry, free credits',
    defence: 'Stock, payments and credits are reserved in one transaction',
    tests: [
      'src/surfaces/acp/idempotency.test.ts',
      'src/features/credits/shared-credits.test.ts',
      {
        file: 'src/surfaces/acp/keys-and-limits.test.ts',
        titles: ['a limited number of checkouts'],
      },
    ],
  },
  {
    attack: 'API7 Server side request forgery: what refused names reveal',
    defence: 'One answer for every name that may not be dialled',
    tests: ['src/operations/unreachable-names.test.ts'],
  },
  {
    attack: 'API8 Misconfiguration: forged host, policies, errors that show internals',
    defence: 'Addresses come from the configuration; policies are built from parsed origins',
    tests: ['src/surfaces/oauth/metadata.test.ts', 'src/surfaces/http/policy-source.test.ts'],
  },
  {
    attack: 'API9 Inventory: a route or body that no test knows',
    defence: 'Tests fail for a new route until it is listed',
    tests: [
      { file: 'test/tenancy/routes.test.ts', titles: ['are all known'] },
      { file: 'test/security/fuzz.test.ts', titles: ['reach every route', 'cover every'] },
    ],
  },
  {
    attack: 'API10 Consumption of APIs: model providers that misbehave or quote keys',
    defence: 'Answers are bounded and parsed; their text is masked',
    tests: ['src/platform/providers/hostile-model-names.test.ts'],
  },
]

const commerce: readonly Attack[] = [
  {
    attack: 'Checkout keys: another agent’s, another kind’s, unknown, expired and guessed ones',
    defence: 'A key opens one agent’s checkout; failures count for the address',
    tests: ['src/surfaces/acp/keys-and-limits.test.ts'],
  },
  {
    attack: 'Products, sessions and orders of another agent or tenant',
    defence: 'Every query names the agent, and the error is the same as for an unknown id',
    tests: [
      { file: 'src/surfaces/acp/requests.test.ts', titles: ['another', 'of its agent only'] },
      { file: 'src/surfaces/acp/discovery.test.ts', titles: ['names no agent'] },
    ],
  },
  {
    attack: 'Moves that a checkout does not allow, in both dialects',
    defence: 'One table lists every allowed move',
    tests: ['src/surfaces/acp/moves.test.ts'],
  },
  {
    attack: 'Events of the payment provider: forged, replayed, late, repeated',
    defence: 'Signatures are checked, and the provider is asked what happened',
    tests: [
      { file: 'src/surfaces/acp/stripe.test.ts', titles: ['invalid signature', 'in any order'] },
      {
        file: 'src/surfaces/hooks/billing-hook.test.ts',
        titles: ['invalid signature', 'may be replayed', 'credited once', 'late event'],
      },
      'src/surfaces/hooks/billing-refunds.test.ts',
    ],
  },
]

const whole: readonly Attack[] = [
  {
    attack: 'Generated requests to every JSON and form entry',
    defence: 'Every body, path and query is parsed before it is used',
    tests: [{ file: 'test/security/fuzz.test.ts', titles: ['cause no error'] }],
  },
  {
    attack: 'Planted secrets in logs, errors, exports, audit log, figures and database columns',
    defence: 'Credentials are hashed, entrusted secrets are sealed, and texts are masked',
    tests: ['test/security/planted-secrets.test.ts'],
  },
  {
    attack: 'Planted secrets in the output of a crash',
    defence: 'The masking log is the only output of a crash',
    tests: ['src/commands/serving/log-crash.test.ts'],
  },
  {
    attack: 'Planted secrets in process titles, health answers, support output, start-up errors',
    defence: 'Secrets come from the environment, and nothing prints a variable’s value',
    tests: ['src/commands/serving/secrets-of-processes.test.ts'],
  },
]

/** Every attack of the table in `docs/security-tests.md`. */
export const attackGroups: readonly AttackGroup[] = [
  { title: 'Authorization server', attacks: codes },
  { title: 'Tool-protocol server and outbound requests', attacks: mcp },
  { title: 'OWASP API Security Top 10 2023', attacks: owasp },
  { title: 'Checkout', attacks: commerce },
  { title: 'Findings of an outside attack', attacks: findingAttacks },
  { title: 'Identity and access', attacks: identityAttacks },
  { title: 'Visitors of chat pages', attacks: visitorAttacks },
  { title: 'Files of chat requests', attacks: fileAttacks },
  { title: 'The whole service', attacks: whole },
]
