import { isIP, isIPv6 } from 'node:net'
import { z } from 'zod'
import { camelCase, type CamelCase } from '#kernel/key-case.ts'
import { backupProblems, backupVariables } from './config/backup-variables.ts'
import { billingProblems, billingVariables } from './config/billing-variables.ts'
import { chatVariables } from './config/chat-variables.ts'
import { connectionVariables } from './config/connection-variables.ts'
import { checkoutVariables, paymentVariables } from './config/commerce-variables.ts'
import { databaseVariables } from './config/database-variables.ts'
import { limitVariables } from './config/limit-variables.ts'
import { mailProblems, mailVariables } from './config/mail-variables.ts'
import { mcpVariables } from './config/mcp-variables.ts'
import { metricsVariables, telemetryVariables } from './config/metrics-variables.ts'
import { providerVariables } from './config/provider-variables.ts'
import { readVariables } from './config/read-variables.ts'
import { signInProblems, signInVariables } from './config/sign-in-variables.ts'
import { visitorProblems, visitorVariables } from './config/visitor-variables.ts'
import { modelId } from './config/model-id.ts'
import {
  flag,
  httpUrl,
  integer,
  list,
  optionalText,
  text,
  variable,
  type Variable,
} from './config/variable.ts'
import {
  configuredProviders,
  type ConfiguredProvider,
} from '#platform/providers/configured-providers.ts'

export type { CreditPack, PlanPrices } from './config/billing-variables.ts'

/**
 * Only this module reads the environment. The documentation's configuration tables are generated
 * from `variables`.
 */

/** Addresses and CIDR blocks, IPv4 and IPv6. */
const addressList = list.refine(
  (items) =>
    items.every((item) => {
      const [address = '', bits = '0', ...rest] = item.split('/')
      const most = isIP(address) === 4 ? 32 : 128
      return (
        isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most && rest.length === 0
      )
    }),
  'must be addresses or CIDR blocks, separated by commas',
)

export const variables = {
  PORT: variable(
    integer(0, 65_535),
    'Sets the port on which Parley listens; 0 picks a free port.',
    {
      fallback: '3000',
    },
  ),
  HOST: variable(text, 'Address to listen on; `0.0.0.0` opens the service to the network.', {
    fallback: '127.0.0.1',
  }),
  BASE_URL: variable(
    httpUrl.optional(),
    'Address at which people and clients reach the service, without a trailing slash. Default: `http://localhost:PORT`, or `http://HOST:PORT` if `HOST` is a specific address.',
  ),
  DATA_DIR: variable(text, 'Folder of the embedded database and the secret key.', {
    fallback: './data',
  }),
  ...databaseVariables,
  ...readVariables,
  WORKERS: variable(
    integer(1, 128),
    'Processes that share the port on this machine, at most one for each core. More than 1 requires `DATABASE_URL`: SQLite serves one process. Limits that a process counts for itself (`MAX_CONNECTIONS`, `MAX_CONNECTIONS_PER_ADDRESS`, `MODEL_CALLS_AT_ONCE`) apply to each.',
    { fallback: '1' },
  ),
  SECRET_KEY: variable(
    z
      .string()
      .regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal characters')
      .optional(),
    'Key that encrypts provider keys and secrets: 32 bytes as 64 hexadecimal characters. With SQLite, Parley generates one in `DATA_DIR`; with PostgreSQL, the variable is required.',
    { secret: true },
  ),
  ...backupVariables,
  LOG_LEVEL: variable(
    z.enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
      'must be trace, debug, info, warn, error or silent',
    ),
    'Lowest severity that is logged.',
    { fallback: 'info' },
  ),
  ...metricsVariables,
  ...telemetryVariables,
  SHUTDOWN_GRACE_SECONDS: variable(
    integer(0, 3600),
    'How long running answers may take to finish after SIGTERM or Ctrl-C.',
    { fallback: '30' },
  ),
  SHUTDOWN_DRAIN_SECONDS: variable(
    integer(0, 3600),
    'How long Parley still accepts requests after SIGTERM or Ctrl-C, while `/readyz` answers 503: until a load balancer has noticed that and sends requests to other processes. Only then does `SHUTDOWN_GRACE_SECONDS` begin.',
    { fallback: '0' },
  ),
  OWNER_EMAIL: variable(
    z.email('must be an e-mail address').optional(),
    'E-mail address of the owner that is created in an empty database; `owner@localhost` if unset.',
  ),
  OWNER_PASSWORD: variable(
    optionalText,
    'Password of the owner that is created in an empty database: at least 10 characters, and hard to guess. If unset, the first start prints a one-time set-up link.',
    { secret: true },
  ),
  DEMO: variable(flag, 'Whether the demo agent is created in an empty database.', {
    fallback: 'true',
  }),
  DEFAULT_PLAN: variable(
    z.enum(
      ['free', 'builder', 'studio', 'enterprise'],
      'must be free, builder, studio or enterprise',
    ),
    'Plan of new workspaces.',
    { fallback: 'builder' },
  ),
  ...signInVariables,
  ...mcpVariables,
  MAX_BODY_BYTES: variable(
    integer(1024),
    'Maximum size of a request body, in bytes. A JSON body may have 64 levels, and one value or key for every 20 bytes of this limit.',
    {
      fallback: '4194304',
    },
  ),
  ...connectionVariables,
  ...chatVariables,
  ...limitVariables,
  ...visitorVariables,
  MAX_TEXT_SOURCE_BYTES: variable(
    integer(1),
    'Maximum size of a text that is added as a source, in bytes.',
    { fallback: '1048576' },
  ),
  MAX_FILE_SOURCE_BYTES: variable(
    integer(1),
    'Maximum size of a file that is added as a source, in bytes.',
    { fallback: '67108864' },
  ),
  MAX_SITEMAPS: variable(
    integer(1),
    'Maximum number of sitemaps that are read from a sitemap index for one source.',
    { fallback: '50' },
  ),
  MAX_IMPORT_BYTES: variable(
    integer(1024),
    'Maximum size of an exported or imported agent document, in bytes. Over MCP, `MAX_BODY_BYTES` applies as well.',
    { fallback: '16777216' },
  ),
  DEFAULT_MODEL: variable(modelId, 'Model of new agents.', { fallback: 'local/extractive' }),
  EMBEDDING_MODEL: variable(
    modelId.optional(),
    'Model that embeds knowledge, so that searches also match by meaning: `openai/text-embedding-3-small`. If unset, searches use full text only. After a change of the model, all knowledge is embedded again in the background.',
  ),
  EMBEDDING_QUERY_TIMEOUT_MS: variable(
    integer(1),
    'How long embedding a question may take. After that, the search uses full text only.',
    { fallback: '3000' },
  ),
  ...providerVariables,
  MODEL_CONNECT_TIMEOUT_MS: variable(
    integer(1),
    'How long a connection to a model provider may take.',
    { fallback: '10000' },
  ),
  MODEL_FIRST_BYTE_TIMEOUT_MS: variable(
    integer(1),
    'How long a model provider may take to start its answer.',
    { fallback: '120000' },
  ),
  MODEL_IDLE_TIMEOUT_MS: variable(
    integer(1),
    'How long a model provider may pause within an answer.',
    { fallback: '60000' },
  ),
  ACTION_TURN_BUDGET_MS: variable(
    integer(1),
    'How long all action calls of one turn may take in total. After that, the model answers with the results so far.',
    { fallback: '120000' },
  ),
  OUTBOUND_ALLOW_PRIVATE: variable(
    list,
    'Hosts on private addresses that user-supplied URLs may reach: `name` or `name:port`, comma-separated.',
    { fallback: '' },
  ),
  TRUST_PROXY: variable(
    addressList,
    'Trusted proxies in front of the service (addresses or CIDR blocks, comma-separated): Parley accepts the client address that they send in `X-Forwarded-For`. None by default.',
    { fallback: '' },
  ),
  ...paymentVariables,
  ...billingVariables,
  ...mailVariables,
  ...checkoutVariables,
} as const satisfies Record<string, Variable<unknown>>

type VariableName = keyof typeof variables
type Values = {
  readonly [
    Name in VariableName as CamelCase<Lowercase<Name>>
  ]: (typeof variables)[Name] extends Variable<infer T> ? T : never
}

export interface Config extends Omit<Values, 'baseUrl'> {
  /** Contains port 0 until the service listens, if `PORT=0` and `BASE_URL` is unset. */
  readonly baseUrl: string
  /** The model providers that every instance knows, by name. */
  readonly providers: ReadonlyMap<string, ConfiguredProvider>
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`Configuration: ${problems.join('; ')}`)
    this.problems = problems
  }
}

/**
 * Reads and checks every variable. An empty value counts as unset.
 *
 * @throws ConfigError naming every invalid variable, but never the value of a secret
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, { schema, fallback }] of Object.entries<Variable<unknown>>(variables)) {
    const given = environment[name]
    const parsed = schema.safeParse(given === undefined || given === '' ? fallback : given)
    if (parsed.success) values[fieldOf(name)] = parsed.data
    else problems.push(`${name} ${parsed.error.issues[0]?.message ?? 'is not valid'}`)
  }
  if (
    values.databaseUrl !== undefined &&
    values.secretKey === undefined &&
    !problems.some((p) => p.startsWith('SECRET_KEY'))
  )
    problems.push(
      'SECRET_KEY is required with DATABASE_URL: create one with `openssl rand -hex 32`',
    )
  const isSqlite = values.databaseUrl === undefined && !environment.DATABASE_URL
  if (isSqlite && typeof values.workers === 'number' && values.workers > 1)
    problems.push(
      'WORKERS above 1 requires PostgreSQL, because SQLite serves one process: set DATABASE_URL, or WORKERS=1',
    )
  if (isSqlite && values.databaseReadUrl !== undefined)
    problems.push('DATABASE_READ_URL is a standby of DATABASE_URL: set both, or neither')
  if (values.payments === 'stripe' && values.stripeSecretKey === undefined)
    problems.push('STRIPE_SECRET_KEY is required with PAYMENTS=stripe')
  problems.push(...signInProblems(values), ...billingProblems(values))
  problems.push(...mailProblems(values), ...backupProblems(values), ...visitorProblems(values))
  if (problems.length > 0) throw new ConfigError(problems)
  // `Values` has the output type of each variable's schema. The loop above stored exactly those
  // outputs, which TypeScript cannot follow through computed names.
  const read = values as unknown as Values
  const textOf = (name: string) => {
    const value = values[fieldOf(name)]
    return typeof value === 'string' ? value : undefined
  }
  const providers = configuredProviders(textOf)
  return { ...read, baseUrl: read.baseUrl ?? ownAddress(read), providers }
}

/** The values of the secret variables that are set: no log line may contain them. */
export function secretValues(config: Partial<Config>): readonly string[] {
  const values: Readonly<Record<string, unknown>> = config
  return Object.entries<Variable<unknown>>(variables)
    .filter(([, { secret }]) => secret)
    .map(([name]) => values[fieldOf(name)])
    .filter((value) => typeof value === 'string')
}

/** `DATA_DIR` as `dataDir`. */
function fieldOf(name: string): string {
  return camelCase(name.toLowerCase())
}

/** Hosts that mean this machine or all of its addresses. */
const unnamedHosts = new Set(['127.0.0.1', '0.0.0.0', '::1', '::', 'localhost'])

/** The address of the service without `BASE_URL`. */
function ownAddress({ host, port }: { readonly host: string; readonly port: number }) {
  const named = isIPv6(host) ? `[${host}]` : host
  return `http://${unnamedHosts.has(host) ? 'localhost' : named}:${port}`
}
