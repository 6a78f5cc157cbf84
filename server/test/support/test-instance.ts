import pino from 'pino'
import { afterAll } from 'vitest'
import { readConfig } from '#config'
import { signedDatabase } from '#features/audit/index.ts'
import { createUser } from '#features/identity/index.ts'
import { putOnPlan } from '#features/workspaces/index.ts'
import type { Actor, Role } from '#kernel/actor.ts'
import type { Plan } from '#kernel/plan.ts'
import type { Scope } from '#kernel/scope.ts'
import { createAdmission } from '#platform/admission/create-admission.ts'
import { createBackups } from '#platform/backups/create-backups.ts'
import { createBilling } from '#platform/billing/stripe-billing.ts'
import { createBoundedWorkers } from '#platform/bounded-workers/create-bounded-workers.ts'
import type { Context } from '#platform/context.ts'
import type { Database, Engine } from '#platform/db/database.ts'
import { openDatabase } from '#platform/db/open-database.ts'
import { createDnsTexts } from '#platform/dns/dns-texts.ts'
import { createDocumentation } from '#platform/documentation.ts'
import { createImportSlots } from '#platform/fair-slots/create-import-slots.ts'
import { createUploadSlots } from '#platform/fair-slots/create-upload-slots.ts'
import { createModelSlots } from '#platform/fair-slots/create-model-slots.ts'
import { createVisitorSlots } from '#platform/fair-slots/create-visitor-slots.ts'
import { createJobs } from '#platform/jobs/create-jobs.ts'
import { createLimits } from '#platform/limits/create-limits.ts'
import { createMail } from '#platform/mail/create-mail.ts'
import { createModels } from '#platform/providers/create-models.ts'
import { createOpenIdProvider } from '#platform/openid/create-openid-provider.ts'
import { createObjects } from '#platform/object-store/objects.ts'
import { createOutbound } from '#platform/outbound-http/outbound.ts'
import { ReadSchedule } from '#platform/outbound-http/read-schedule.ts'
import { createPayments } from '#platform/payments/create-payments.ts'
import { createRemoteTools } from '#platform/remote-tools/create-remote-tools.ts'
import { createVault } from '#platform/vault.ts'
import {
  describeEngines,
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
  type Engines,
} from '#test/support/databases/engines.ts'

const log = pino({ level: 'silent' })

/** A person with their own workspace. */
export interface Person {
  readonly userId: string
  readonly workspaceId: string
  readonly name: string
  readonly email: string
}

/** The whole context on its own database, with a clock that moves only when the test moves it. */
export interface TestInstance {
  readonly ctx: Context
  advance(milliseconds: number): void
  /** Closes its database, before others use it. */
  end(): Promise<void>
  person(options?: { readonly plan?: Plan }): Promise<Person>
  join(person: Person, workspaceId: string, role: Role): Promise<void>
  /** Opens the same database again with separate handles, like another process. */
  again(): Promise<TestInstance>
}

/** Creates a test instance, which is closed and dropped after the suite. */
export type OpenInstance = (environment?: Readonly<Record<string, string>>) => Promise<TestInstance>

/** Runs a suite with test instances on SQLite and on PostgreSQL. */
export function describeInstance(
  title: string,
  define: (open: OpenInstance) => void,
  engines: Engines = 'both',
): void {
  const lay = ({ name }: { readonly name: Engine }) =>
    defineOnInstances({ make: () => makeDatabase(name), drop: dropDatabase }, define)
  describeEngines(title, lay, engines)
}

/** Creates and drops the migrated databases of a suite. */
export interface Source {
  make(): Promise<DatabaseSettings>
  drop(settings: DatabaseSettings): Promise<void>
}

/** For a suite that does not run on the two engines. */
export function defineOnInstances(source: Source, define: (open: OpenInstance) => void): void {
  const opened: Closable[] = []
  const made: DatabaseSettings[] = []
  afterAll(async () => {
    for (const one of opened.toReversed()) await one.close()
    for (const settings of made) await source.drop(settings)
  })

  function instanceOn(
    settings: DatabaseSettings,
    environment: Readonly<Record<string, string>>,
  ): TestInstance {
    const db = openDatabase(settings, log)
    opened.push(db)
    return buildInstance(db, environment, {
      again: async () => instanceOn(settings, environment),
      end: async () => {
        opened.splice(opened.indexOf(db), 1)
        await db.close()
      },
      closeLater: (one) => opened.push(one),
    })
  }

  define(async (environment = {}) => {
    const settings = await source.make()
    made.push(settings)
    return instanceOn(settings, environment)
  })
}

/** The actor for a person, by default as signed in to the dashboard. */
export function actorOf(person: Person, narrower: Partial<Actor> = {}): Actor {
  const scopes: readonly Scope[] = ['*']
  const { userId, workspaceId } = person
  return { userId, workspaceId, scopes, surface: 'dashboard', ...narrower }
}

interface Closable {
  close(): Promise<void>
}

interface Surroundings extends Pick<TestInstance, 'again' | 'end'> {
  closeLater(one: Closable): void
}

let people = 0

function buildInstance(
  db: Database,
  environment: Readonly<Record<string, string>>,
  { again, end, closeLater }: Surroundings,
): TestInstance {
  const config = readConfig(environment)
  let now = Date.parse('2026-01-02T03:04:05.678Z')
  const clock = { now: () => now }
  const schedule = new ReadSchedule(config.streamReadIntervalMs)
  const outbound = createOutbound({ allowPrivate: config.outboundAllowPrivate, schedule })
  const models = createModels({ config, log, outbound, schedule })
  closeLater(outbound)
  closeLater(models)
  const vault = createVault('5'.repeat(64))
  const ctx: Context = {
    config,
    db: signedDatabase(db, vault),
    models,
    limits: createLimits(db, vault),
    admission: createAdmission(config, log),
    modelSlots: createModelSlots(config),
    visitorSlots: createVisitorSlots(config),
    importSlots: createImportSlots(config),
    uploadSlots: createUploadSlots(config),
    outbound,
    remoteTools: createRemoteTools(outbound),
    openId: createOpenIdProvider(config),
    mail: createMail(config, log),
    dns: createDnsTexts(config),
    jobs: createJobs(clock),
    workers: createBoundedWorkers(config),
    backups: createBackups(config),
    objects: createObjects(config),
    payments: createPayments(config),
    billing: createBilling(config),
    documentation: createDocumentation(),
    clock,
    vault,
    log,
  }
  return {
    ctx,
    again,
    end,
    advance(milliseconds) {
      now += milliseconds
    },
    async person({ plan } = {}) {
      people += 1
      const name = `Person ${people}`
      const email = `person-${people}@example.com`
      const { user, workspaceId } = await createUser(ctx, { email, name })
      const person = { userId: user.id, workspaceId, name, email }
      if (plan !== undefined) await db.write((tx) => putOnPlan(tx, now, workspaceId, plan))
      return person
    },
    async join({ userId }, workspaceId, role) {
      const row = { workspace_id: workspaceId, user_id: userId, role, created_at: now }
      await db.write((tx) => tx.insertInto('memberships').values(row).execute())
    },
  }
}
