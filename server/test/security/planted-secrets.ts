import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { variables } from '#config'
import type { Database } from '#platform/db/database.ts'
import { withoutPartitions } from '#test/support/databases/without-partitions.ts'

const written = {
  stripeKey: 'rk_test_planted0stripe0key',
  stripeHook: 'planted-stripe-hook-secret',
  billingHook: 'planted-billing-hook-secret',
  smtpPassword: 'planted-smtp-password',
  openIdSecret: 'planted-openid-secret',
  openAiKey: 'planted-openai-key-of-the-instance',
  anthropicKey: 'planted-anthropic-key-of-the-instance',
  googleKey: 'planted-google-key-of-the-instance',
  objectStoreKey: 'planted-object-store-secret-key',
  otlpHeader: 'planted-otlp-header',
  secretKey: '5eed'.repeat(16),
} as const

const secretSettings = {
  PAYMENTS: 'stripe',
  STRIPE_SECRET_KEY: written.stripeKey,
  STRIPE_WEBHOOK_SECRET: written.stripeHook,
  BILLING_WEBHOOK_SECRET: written.billingHook,
  SMTP_URL: `smtp://user:${written.smtpPassword}@127.0.0.1:1`,
  MAIL_FROM: 'parley@example.com',
  OIDC_ISSUER: 'http://127.0.0.1:1',
  OIDC_CLIENT_ID: 'parley',
  OIDC_CLIENT_SECRET: written.openIdSecret,
  OPENAI_API_KEY: written.openAiKey,
  OPENAI_BASE_URL: 'http://127.0.0.1:1/v1',
  ANTHROPIC_API_KEY: written.anthropicKey,
  ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
  GOOGLE_API_KEY: written.googleKey,
  GOOGLE_BASE_URL: 'http://127.0.0.1:1',
  S3_ENDPOINT: 'http://127.0.0.1:1',
  S3_ACCESS_KEY_ID: 'parley',
  S3_SECRET_ACCESS_KEY: written.objectStoreKey,
  OTEL_EXPORTER_OTLP_HEADERS: `api-key=${written.otlpHeader}`,
  SECRET_KEY: written.secretKey,
} as const

/** The addresses of the database, which the tests choose. */
const ofEngine = ['DATABASE_URL', 'DATABASE_READ_URL']

/** A variable that is secret and that no line above gives a value gets one here: none is forgotten. */
const others = Object.entries<{ readonly secret: boolean }>(variables)
  .filter(([name, { secret }]) => secret && !ofEngine.includes(name))
  .filter(([name]) => !Object.hasOwn(secretSettings, name))
  .map(([name]) => [name, `planted-value-of-${name.toLowerCase().replaceAll('_', '-')}`] as const)

/** The secrets of an instance's configuration. */
export const instanceSecrets = { ...written, ...Object.fromEntries(others) }

export const secretEnvironment = { ...secretSettings, ...Object.fromEntries(others) }

export interface EchoServer {
  readonly address: string
  readonly host: string
  stop(): void
}

/** A server whose error answers quote the request's headers and body, as careless ones do. */
export async function startEchoServer(): Promise<EchoServer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const message = `refused: ${JSON.stringify(request.headers)} ${String(Buffer.concat(chunks))}`
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message, type: message, code: message } }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}` // A TCP socket.
  return { host, address: `http://${host}`, stop: () => void server.close() }
}

/** Every text of every table, with the column that holds it. */
export async function textsOf(db: Database): Promise<readonly { at: string; text: string }[]> {
  const names =
    db.engine === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table'
          and name not like 'sqlite_%' and name not like '%index_%'`
      : sql<{ name: string }>`select table_name as name from information_schema.tables
          where table_schema = current_schema()
          and ${withoutPartitions}`
  const tables = (await names.execute(db.read)).rows
  const texts = tables.map(async ({ name }) => {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(
      db.read,
    )
    return rows.flatMap((row) =>
      Object.entries(row).map(([column, value]) => ({
        at: `${name}.${column}`,
        text: value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value),
      })),
    )
  })
  return (await Promise.all(texts)).flat()
}
