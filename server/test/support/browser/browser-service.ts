import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe } from 'vitest'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { readConfig } from '#config'
import { listen } from '#commands/serving/http-service.ts'
import { createUser } from '#features/identity/index.ts'
import { startCallbackServer, type CallbackServer } from '#test/support/servers/callback-server.ts'
import { browserAbsence, launchChromium } from './chromium.ts'
import type { Engines } from '#test/support/databases/engines.ts'
import {
  describeInstance,
  type TestInstance,
  type OpenInstance,
} from '#test/support/test-instance.ts'
import { makePkce, type Pkce } from '#test/support/identity/oauth-flow.ts'
import { appOf, authorizeQuery } from '#test/support/identity/sign-in-service.ts'

export const person = { email: 'ada@example.com', password: 'the password of ada', name: 'Ada' }

/**
 * The whole service on a port, a person, an application that waits for its callback, and a browser.
 */
export interface BrowserService extends TestInstance {
  readonly baseUrl: string
  readonly application: CallbackServer
  readonly redirectUri: string
  /** A page in a browser context without cookies. */
  page(options?: BrowserContextOptions): Promise<Page>
  /** Opens the authorization URL as an application does. The page then shows sign-in or consent. */
  beginAt(page: Page, changes?: Readonly<Record<string, string>>): Promise<Pkce>
}

/** @param environment variables of the service, besides its address */
export type OpenBrowser = (
  environment?: Readonly<Record<string, string>>,
) => Promise<BrowserService>

/** Runs a suite in Chromium on both engines. Without Chromium it skips the suite with a message. */
export function describeBrowser(
  title: string,
  define: (open: OpenBrowser) => void,
  engines: Engines = 'both',
): void {
  const absence = browserAbsence()
  const defineOn = (openInstance: OpenInstance): void => {
    const stops: (() => Promise<unknown>)[] = []
    afterAll(async () => {
      for (const stop of stops.toReversed()) await stop()
    })
    define((environment) => openService(openInstance, (stop) => stops.push(stop), environment))
  }
  describe.skipIf(absence !== null)(title, () => describeInstance(title, defineOn, engines))
}

async function openService(
  openInstance: OpenInstance,
  atEnd: (stop: () => Promise<unknown>) => void,
  environment: Readonly<Record<string, string>> = {},
): Promise<BrowserService> {
  const http = await listen({ ...readConfig({}), port: 0 })
  atEnd(() => http.stop(0))
  const baseUrl = `http://localhost:${http.port}`
  const instance = await openInstance({ BASE_URL: baseUrl, ...environment })
  http.serve(appOf(instance), instance.ctx.log)
  await createUser(instance.ctx, person)
  const application = await startCallbackServer()
  atEnd(() => application.stop())
  const redirectUri = `http://localhost:${application.port}/callback`
  const chromium = await launchChromium()
  atEnd(() => chromium.close())
  return {
    ...instance,
    baseUrl,
    application,
    redirectUri,
    page: (options) => openPage(chromium, options),
    async beginAt(page, changes = {}) {
      const pkce = makePkce()
      const query = authorizeQuery(pkce, { redirect_uri: redirectUri, ...changes })
      await page.goto(`${baseUrl}/mcp/oauth/authorize?${query}`)
      return pkce
    },
  }
}

async function openPage(chromium: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  // Playwright's routes do not see what a service worker fetches.
  const context = await chromium.newContext({ serviceWorkers: 'block', ...options })
  context.setDefaultTimeout(10_000)
  return await context.newPage()
}

export async function signInAt(page: Page, password = person.password): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const artifacts = join(import.meta.dirname, '..', '..', '..', '..', 'artifacts', 'browser')

/** Saves a screenshot of a page for review: of the whole page, or of what the window shows. */
export async function picture(page: Page, name: string, fullPage = true): Promise<void> {
  mkdirSync(artifacts, { recursive: true })
  const path = join(artifacts, `${name}.png`)
  // A change of the theme fades in.
  await page.screenshot({ path, fullPage, animations: 'disabled' })
}
