import type { Attack, AttackGroup } from './attack.ts'
import { findingAttacks } from './attacks-of-findings.ts'

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
    tests: [`${oauth}/token.test.ts`],
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
    defence: 'Logs mask credentials; pages send no Referer; no token is read from a query',
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
]

const owasp: readonly Attack[] = [
  {
    attack: 'API1 Object level authorization: another tenant’s id in every route and operation',
    defence: 'Every query of a tenant’s rows filters by the workspace',
    tests: ['test/tenancy/routes.test.ts', 'src/operations/tenancy.test.ts'],
  },
  {
    attack: 'API2 Authentication: guessing, enumeration, session fixation, login CSRF',
    defence: 'Attempts are limited, answers are alike, sign-in makes a new session',
    tests: [{ file: 'src/surfaces/account/login.test.ts', titles: ['attacks', 'fixation'] }],
  },
  {
    attack: 'API3 Property level authorization: fields that a caller may not set or see',
    defence: 'Inputs and outputs are strict schemas',
    tests: [{ file: 'src/surfaces/mcp/attacks.test.ts', titles: ['a field named'] }],
  },
  {
    attack: 'API4 Resource consumption: memory, rows and time of generated requests',
    defence: 'Sizes, depths and rates are bounded',
    tests: [{ file: 'test/security/fuzz.test.ts', titles: ['leave no'] }],
  },
  {
    attack: 'API5 Function level authorization: every operation in every role',
    defence: 'Each operation declares its role and scope; the runner checks them',
    tests: ['test/tenancy/roles.test.ts', 'test/tenancy/leaving.test.ts'],
  },
  {
    attack: 'API6 Sensitive business flows: checkouts in a hurry, free credits',
    defence: 'Stock, payments and credits are reserved in one transaction',
    tests: ['src/surfaces/acp/idempotency.test.ts', 'src/features/credits/shared-credits.test.ts'],
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

const whole: readonly Attack[] = [
  {
    attack: 'Generated requests to every JSON and form entry',
    defence: 'Every body is parsed by a schema before it is used',
    tests: [{ file: 'test/security/fuzz.test.ts', titles: ['cause no error'] }],
  },
  {
    attack: 'Planted secrets in logs, errors, exports, audit log, figures and database columns',
    defence: 'Credentials are hashed, entrusted secrets are sealed, texts are masked',
    tests: ['test/security/planted-secrets.test.ts'],
  },
  {
    attack: 'Planted secrets in the output of a crash',
    defence: 'The masking log is the only output of a crash',
    tests: ['src/commands/log-crash.test.ts'],
  },
]

/** Every attack of the table in `docs/security-tests.md`. */
export const attackGroups: readonly AttackGroup[] = [
  { title: 'Authorization server', attacks: codes },
  { title: 'Tool-protocol server and outbound requests', attacks: mcp },
  { title: 'OWASP API Security Top 10 2023', attacks: owasp },
  { title: 'Findings of an outside attack', attacks: findingAttacks },
  { title: 'The whole service', attacks: whole },
]
