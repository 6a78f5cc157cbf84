import type { Logger } from 'pino'
import type { Config } from '#config'
import type { Admission } from './admission/admission.ts'
import type { Backups } from './backups/backups.ts'
import type { BoundedWorkers } from './bounded-workers/bounded-workers.ts'
import type { Billing } from './billing/billing.ts'
import type { Clock } from './clock.ts'
import type { Database } from './db/database.ts'
import type { DnsTexts } from './dns/dns-texts.ts'
import type { Documentation } from './documentation.ts'
import type { FairSlots } from './fair-slots/fair-slots.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { Limits } from './limits/limits.ts'
import type { Mail } from './mail/mail.ts'
import type { Models } from './models/model.ts'
import type { Objects } from './object-store/objects.ts'
import type { OpenIdProvider } from './openid/openid-provider.ts'
import type { Outbound } from './outbound-http/outbound.ts'
import type { Payments } from './payments/payments.ts'
import type { RemoteTools } from './remote-tools/remote-tools.ts'
import type { Vault } from './vault.ts'

/** The ports. A verb names the ones it needs: `Pick<Context, 'db' | 'clock'>`. */
export interface Context {
  readonly config: Config
  readonly db: Database
  readonly admission: Admission
  readonly models: Models
  /** Calls of models that run at the same time in this process; tenants are workspaces. */
  readonly modelSlots: FairSlots
  readonly visitorSlots: FairSlots
  /** Imports of documents that run at the same time in this process; tenants are workspaces. */
  readonly importSlots: FairSlots
  /** Uploads of files for chat requests that arrive at the same time; tenants are workspaces. */
  readonly uploadSlots: FairSlots
  readonly limits: Limits
  readonly jobs: Jobs
  /** Processes for work on untrusted bytes. */
  readonly workers: BoundedWorkers
  readonly backups: Backups
  /** The bytes of files outside the database. */
  readonly objects: Objects
  readonly payments: Payments
  /** Sells plans and credits; null when nothing is sold. */
  readonly billing: Billing | null
  /** HTTP to addresses that users enter. */
  readonly outbound: Outbound
  /** TXT records of domains that users enter. */
  readonly dns: DnsTexts
  /** Tools of remote MCP servers. */
  readonly remoteTools: RemoteTools
  /** Null when no provider is configured. */
  readonly openId: OpenIdProvider | null
  /** Null when no mail server is configured. */
  readonly mail: Mail | null
  readonly documentation: Documentation
  readonly clock: Clock
  readonly vault: Vault
  readonly log: Logger
}
