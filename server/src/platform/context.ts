import type { Logger } from 'pino'
import type { Config } from '#config'
import type { Clock } from './clock.ts'
import type { Database } from './db/database.ts'
import type { Limits } from './limits/limits.ts'
import type { Models } from './models/model.ts'
import type { Vault } from './vault.ts'

/** The ports. A verb names the ones it needs: `Pick<Context, 'db' | 'clock'>`. */
export interface Context {
  readonly config: Config
  readonly db: Database
  readonly models: Models
  readonly limits: Limits
  readonly clock: Clock
  readonly vault: Vault
  readonly log: Logger
}
