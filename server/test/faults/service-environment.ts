import type { DatabaseSettings } from '#test/support/engines.ts'
import type { ModelServer } from '#test/support/model-server.ts'
import type { Environment } from '#test/support/parley-process.ts'

/** What PostgreSQL calls the connections of these processes, and not those of the test itself. */
export const connectionName = 'parley_process'

/** What a service process is started with: a test's database, and a model server of the test. */
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
