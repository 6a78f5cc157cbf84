import type { DatabaseSettings } from '#test/support/databases/engines.ts'
import type { ModelServer } from '#test/support/servers/model-server.ts'
import type { Environment } from '#test/support/processes/parley-process.ts'

/**
 * The name of these processes' connections in PostgreSQL; the test's own connections have another.
 */
export const connectionName = 'parley_process'

/** The environment of a service process: the test's database and model server. */
export function serviceEnvironment(
  { dataDir, databaseUrl }: Pick<DatabaseSettings, 'dataDir' | 'databaseUrl'>,
  model?: ModelServer,
): Environment {
  return {
    DATA_DIR: dataDir,
    DEMO: 'false',
    LOG_LEVEL: 'silent',
    OWNER_EMAIL: 'owner@example.com',
    OWNER_PASSWORD: 'a long enough password',
    SECRET_KEY: '5'.repeat(64),
    ...(model === undefined ? {} : { OPENAI_API_KEY: 'test', OPENAI_BASE_URL: model.baseUrl }),
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: named(databaseUrl) }),
  }
}

function named(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('application_name', connectionName)
  return url.href
}
