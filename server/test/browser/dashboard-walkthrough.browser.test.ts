import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { axeViolations } from '#test/support/browser/axe.ts'
import { picture, signInAt } from '#test/support/browser/browser-service.ts'
import { runCurl, buyProduct, dropFile } from '#test/support/copied-examples.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { inMemoryOauthClient } from '#test/support/identity/in-memory-oauth-client.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'

/** One person in one window: each step continues where the previous one ended. */
describeDashboard(
  'a person who has never seen Parley',
  (open) => {
    let service: DashboardService
    let page: Page
    let agent: string
    let acpKey: string

    beforeAll(async () => {
      service = await open()
      page = await service.page({ locale: 'en-GB', viewport: { width: 1280, height: 800 } })
      page.setDefaultTimeout(20_000)
    })

    const main = () => page.getByRole('main')
    const dialog = () => page.getByRole('dialog')
    const tab = async (name: string) => {
      await page.goto(`${service.baseUrl}/agents/${agent}/${name}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
    }
    /** Checks the current page and saves a screenshot for review. */
    const seen = async (step: string) => {
      await picture(page, `story-${step}`)
      expect(await axeViolations(page)).toEqual([])
    }
    const connect = async (transport: StreamableHTTPClientTransport) => {
      const assistant = new Client({ name: 'An assistant', version: '1' })
      await assistant.connect(transport)
      return assistant
    }
    const mcpUrl = () => new URL(`${service.baseUrl}/mcp`)
    const toolNames = async (assistant: Client) => {
      const { tools } = await assistant.listTools()
      await assistant.close()
      return tools.map(({ name }) => name)
    }

    test('signs in', async () => {
      await page.goto(service.baseUrl)
      await page.waitForURL((url) => url.pathname === '/login')
      await seen('1-sign-in')
      await signInAt(page)
      await page.getByRole('heading', { level: 1, name: 'Welcome, Ada' }).waitFor()
      await seen('1-signed-in')
    })

    test('creates an agent', async () => {
      await main().getByRole('link', { name: 'Create an agent' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Tea shop')
      await page.getByRole('button', { name: 'Create agent' }).click()
      await page.getByRole('heading', { level: 1, name: 'Build' }).waitFor()
      agent = /\/agents\/(tea-shop-\d+)\//.exec(page.url())?.[1] ?? ''
      expect(agent).not.toBe('')
      await seen('2-agent')
    })

    test('adds a document to it', async () => {
      await page.getByRole('link', { name: 'Knowledge' }).click()
      const text = 'Orders can be returned within 30 days, free of charge.'
      await dropFile(page, 'returns.txt', Buffer.from(text))
      const row = main().getByRole('list', { name: 'Sources' }).getByRole('listitem')
      await row.getByText('Waiting').first().waitFor()
      await runIngestion(service, { later: false })
      await row.getByText('Ready').waitFor()
      await seen('3-document')
    })

    test('chats with it, and it answers from the document', async () => {
      await page.getByRole('link', { name: 'Build' }).click()
      const chat = page.getByRole('region', { name: 'Test chat' })
      await chat.getByLabel('Message').fill('How long can orders be returned?')
      await chat.getByLabel('Message').press('Enter')
      const answer = chat.getByText(/within 30 days/)
      await answer.first().waitFor()
      await chat.getByText('1 citation').click()
      await chat
        .getByText(/returns/)
        .first()
        .waitFor()
      await seen('4-answer')
    })

    test('gets a chat key, and the example command works', async () => {
      await page.getByRole('link', { name: 'Share' }).click()
      await main().getByRole('link', { name: 'API', exact: true }).click()
      await main().getByRole('button', { name: 'Create chat key' }).first().click()
      await dialog().getByLabel('Name').fill('Website')
      await dialog().getByRole('button', { name: 'Create chat key' }).click()
      const curl = await dialog().getByRole('region', { name: 'Example for curl' }).textContent()
      await seen('5-chat-key')
      expect(await runCurl(curl ?? '')).toMatchObject({ object: 'chat.completion', model: agent })
    })

    test('gets a developer key that can list tools', async () => {
      await page.goto(`${service.baseUrl}/settings/developer`)
      await main().getByRole('button', { name: 'Create Key' }).first().click()
      await dialog().getByLabel('Name').fill('Pipeline')
      await dialog().getByRole('button', { name: 'Create Key' }).click()
      const key = await dialog()
        .getByText(/^svc_sk_/)
        .textContent()
      await seen('6-developer-key')
      const requestInit = { headers: { authorization: `Bearer ${key}` } }
      const assistant = await connect(new StreamableHTTPClientTransport(mcpUrl(), { requestInit }))
      expect(await toolNames(assistant)).toContain('list_apps')
    })

    test('gets a checkout key', async () => {
      await tab('publish/catalog/keys')
      await main().getByRole('button', { name: 'Create API Key' }).first().click()
      await dialog().getByLabel('Name').fill('Shopping assistant')
      await dialog().getByRole('button', { name: 'Create API Key' }).click()
      acpKey = (await dialog().getByText(/^acp_/).textContent()) ?? ''
      expect(acpKey).toMatch(/^acp_[\w-]{32}$/)
      await seen('7-acp-key')
    })

    test('connects an assistant, which is then listed', async () => {
      const memory = inMemoryOauthClient<
        StoredOAuthClientInformation,
        StoredOAuthTokens,
        OAuthDiscoveryState
      >()
      const transport = new StreamableHTTPClientTransport(mcpUrl(), { authProvider: memory })
      await expect(connect(transport)).rejects.toThrow(UnauthorizedError)
      // The assistant listens there.
      await page.route(`${memory.redirectUrl}**`, (route) => route.fulfill({ body: 'Connected' }))
      await page.goto(memory.link().href)
      await page.getByRole('heading', { name: 'Authorize' }).waitFor()
      await seen('8-consent')
      await page.getByRole('button', { name: 'Authorize', exact: true }).click()
      await page.waitForURL((url) => url.href.startsWith(memory.redirectUrl))
      await transport.finishAuth(new URL(page.url()).searchParams)
      const assistant = await connect(
        new StreamableHTTPClientTransport(mcpUrl(), { authProvider: memory }),
      )
      expect(await toolNames(assistant)).toContain('list_apps')
      await page.goto(`${service.baseUrl}/settings/connected-apps`)
      await main().getByText(memory.clientMetadata.client_name).first().waitFor()
      await seen('8-connected')
    })

    test('sells a product, and sees the order', async () => {
      await tab('publish/catalog/products')
      await main().getByRole('button', { name: 'New product' }).first().click()
      await dialog().getByLabel('Name').fill('Teapot')
      await dialog().getByLabel('Price in USD').fill('12.50')
      await dialog().getByRole('combobox', { name: 'Delivery' }).click()
      await page.getByRole('option', { name: 'Digital' }).click()
      await dialog().getByRole('button', { name: 'Save' }).click()
      await main().getByText('US$12.50').waitFor()
      const { items } = (await service.call('list_products', { app_id: agent })) as {
        items: { id: string }[]
      }
      const bought = await buyProduct(`${service.baseUrl}/acp/${agent}`, acpKey, items[0]?.id ?? '')
      expect(bought).toMatchObject({ status: 'completed' })
      await main().getByRole('link', { name: 'Orders' }).click()
      await main().getByText('bea@example.com').waitFor()
      await seen('9-order')
    })

    test('sees the analytics of these conversations', async () => {
      // The browser and the service have the same day.
      await page.clock.setFixedTime(service.ctx.clock.now())
      await tab('analytics/overview')
      const figure = main()
        .locator('dt', { hasText: /^Messages$/ })
        .locator('xpath=../dd[1]')
      await main().getByText('More figures').click()
      await figure.waitFor()
      expect(Number(await figure.textContent())).toBeGreaterThanOrEqual(2)
      await seen('10-numbers')
      await tab('analytics/conversations')
      await main().getByText('How long can orders be returned?').first().waitFor()
      await seen('10-conversations')
    })
  },
  'both',
)
