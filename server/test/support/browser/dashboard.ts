import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { createUser, findUserByEmail } from '#features/identity/index.ts'
import { listWorkspaces } from '#features/workspaces/index.ts'
import type { Role } from '#kernel/actor.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import {
  describeBrowser,
  person,
  type BrowserService,
  type OpenBrowser,
} from './browser-service.ts'
import type { Engines } from '#test/support/databases/engines.ts'
import { expectSoundLooks, looks } from './looks.ts'
import { actorOf, type Person } from '#test/support/test-instance.ts'

const build = join(import.meta.dirname, '../../../../dashboard/dist/index.html')

/** The whole service with the dashboard, and people who are signed in. */
export interface DashboardService extends BrowserService {
  /** The owner of a workspace. `visit` signs them in by default. */
  readonly ada: Person
  /** Another person, with their own workspace and optionally a membership of Ada's. */
  account(name: string, roleAtAda?: Role): Promise<Person>
  /** Opens a page of the dashboard as a signed-in person and waits for its heading. */
  visit(path: string, options?: VisitOptions): Promise<Page>
  /** Calls an operation as the dashboard does, to prepare the data of a test. */
  call(name: string, input?: Readonly<Record<string, unknown>>, as?: Person): Promise<Answer>
}

export interface VisitOptions extends BrowserContextOptions {
  readonly as?: Person
}

type Answer = Readonly<Record<string, unknown>>

/** @param environment variables of the service, besides its address */
export type OpenDashboard = (
  environment?: Readonly<Record<string, string>>,
) => Promise<DashboardService>

/**
 * Runs a suite against the built dashboard in Chromium. One engine, SQLite, is enough for a page,
 * because the suites of its operations run on both. With `both` the suite runs on both engines, for
 * tests of a whole path.
 */
export function describeDashboard(
  title: string,
  define: (open: OpenDashboard) => void,
  engines: Engines = 'sqlite',
): void {
  const defineOn = (open: OpenBrowser): void =>
    define(async (environment) => await withPeople(await open(environment)))
  describeBrowser(title, defineOn, engines)
}

async function withPeople(service: BrowserService): Promise<DashboardService> {
  if (!existsSync(build))
    throw new Error(
      'the dashboard is not built: npm run build:dashboard (npm run test:browser does)',
    )
  const ada = await personOf(service, person.email)
  const states = new Map<string, BrowserContextOptions['storageState']>()
  const signedIn = async (who: Person) => {
    const state = states.get(who.userId) ?? (await signIn(service, who))
    states.set(who.userId, state)
    return state
  }
  return {
    ...service,
    ada,
    async account(name, roleAtAda) {
      const email = `${name.toLowerCase()}@example.com`
      await createUser(service.ctx, { name, email, password: person.password })
      const made = await personOf(service, email)
      if (roleAtAda !== undefined) await service.join(made, ada.workspaceId, roleAtAda)
      return made
    },
    async visit(path, { as = ada, ...options } = {}) {
      const storageState = await signedIn(as)
      const page = await service.page({
        locale: 'en-GB',
        ...options,
        ...(storageState === undefined ? {} : { storageState }),
      })
      // Tests share the processors with other processes.
      page.setDefaultTimeout(20_000)
      await page.goto(`${service.baseUrl}${path}`)
      // Not found by its role, because an open dialog hides it from assistive technology.
      await page.locator('h1').waitFor()
      return page
    },
    async call(name, input = {}, as = ada) {
      const operation = findOperation(name)
      if (operation === undefined) throw new Error(`no operation ${name}`)
      return await runOperation(service.ctx, actorOf(as), operation, input)
    },
  }
}

async function personOf({ ctx }: BrowserService, email: string): Promise<Person> {
  const user = await findUserByEmail(ctx, email)
  if (user === null || user === undefined) throw new Error(`no user has the e-mail ${email}`)
  const [workspace] = (await listWorkspaces(ctx, user.id, { limit: 1 })).items
  if (workspace === undefined) throw new Error(`${email} is not a member of any workspace`)
  return { userId: user.id, workspaceId: workspace.id, name: user.name, email }
}

async function signIn(service: BrowserService, { email }: Person) {
  const page = await service.page()
  await page.goto(`${service.baseUrl}/login`)
  await page.getByLabel('Email', { exact: true }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL((url) => url.pathname !== '/login')
  const state = await page.context().storageState()
  await page.context().close()
  return state
}

/**
 * Checks a page in every look (`looks.ts`): axe finds nothing, nothing overflows sideways, and the
 * page's content security policy blocks nothing. Saves screenshots as
 * `artifacts/browser/dashboard-<name>-<look>`. Looks do not depend on the engine: on PostgreSQL the
 * first one is enough.
 *
 * @param ready brings the page to the state to check
 */
export async function expectSound(
  service: DashboardService,
  name: string,
  path: string,
  ready: (page: Page) => Promise<unknown> = () => Promise.resolve(),
  visit: VisitOptions = {},
): Promise<void> {
  const [first] = looks
  const seen = service.ctx.db.engine === 'sqlite' ? looks : [first]
  const { colorScheme, viewport } = first
  const page = await service.visit(path, { ...visit, colorScheme, viewport })
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await ready(page)
  await expectSoundLooks(page, `dashboard-${name}`, seen)
  expect(complaints).toEqual([])
  await page.context().close()
}
