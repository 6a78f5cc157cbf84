import { beforeAll, expect, test } from 'vitest'
import { person } from '#test/support/browser/browser-service.ts'
import {
  describeDashboard,
  expectSound,
  type DashboardService,
} from '#test/support/browser/dashboard.ts'

describeDashboard('the dashboard around its pages', (open) => {
  let service: DashboardService

  beforeAll(async () => {
    service = await open()
    for (const name of ['Support', 'Shop', 'A name that is rather long for a narrow sidebar'])
      await service.call('create_app', { name, description: `What ${name} is for` })
  })

  test('the list of agents is sound in both themes, wide and narrow', async () => {
    await expectSound(service, 'agents', '/agents', (page) =>
      page.getByRole('main').getByText('What Shop is for').waitFor(),
    )
  })

  test('the page of a new agent is sound', async () => {
    await expectSound(service, 'agent-new', '/agents/new')
  })

  test('an agent has five tabs, each with a URL', async () => {
    const page = await service.visit('/agents')
    await page.getByRole('main').getByRole('link', { name: 'Shop' }).click()
    const tabs = page.getByRole('navigation', { name: 'Agent sections' })
    for (const tab of ['Build', 'Knowledge', 'Share', 'Publish', 'Analytics']) {
      await tabs.getByRole('link', { name: tab }).click()
      await page.getByRole('heading', { level: 1, name: tab }).waitFor()
      expect(new URL(page.url()).pathname).toMatch(
        new RegExp(`^/agents/shop-\\d+/${tab.toLowerCase()}`),
      )
    }
  })

  test('the chosen theme applies from the first paint and is kept', async () => {
    const page = await service.visit('/agents', { colorScheme: 'light' })
    const instance = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const light = await instance()
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitemradio', { name: 'Dark' }).click()
    expect(await instance()).not.toBe(light)
    await page.reload()
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    expect(await instance()).not.toBe(light)
  })

  test('signing out ends the sign-in, and the dashboard requires a new one', async () => {
    const eve = await service.account('Eve')
    const page = await service.visit('/agents/new', { as: eve })
    await page.getByLabel('Name', { exact: true }).fill('Not for the next person')
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL((url) => url.pathname === '/signed-out')
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('next person')
    await page.goto(`${service.baseUrl}/settings/members`)
    expect(new URL(page.url()).searchParams.get('return_to')).toBe('/settings/members')
  })

  test('an expired sign-in leads to sign-in and back without losing input', async () => {
    const mia = await service.account('Mia')
    const page = await service.visit('/agents/new', { as: mia })
    await page.getByLabel('Name', { exact: true }).fill('Half written')
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Create agent' }).click()
    await page.waitForURL((url) => url.pathname === '/login')
    await page.getByLabel('Email', { exact: true }).fill(mia.email)
    await page.getByLabel('Password', { exact: true }).fill(person.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL((url) => url.pathname === '/agents/new')
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Half written')
  })

  test('drafts are deleted when another person signs in in the same tab', async () => {
    const [una, uma] = [await service.account('Una'), await service.account('Uma')]
    const page = await service.visit('/agents/new', { as: una })
    await page.getByLabel('Name', { exact: true }).fill('Only of Una')
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Create agent' }).click()
    await page.waitForURL((url) => url.pathname === '/login')
    await page.getByLabel('Email', { exact: true }).fill(uma.email)
    await page.getByLabel('Password', { exact: true }).fill(person.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL((url) => url.pathname === '/agents/new')
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('')
  })

  test('by keyboard, the first Tab offers to skip to the page, and a navigation focuses the page', async () => {
    const page = await service.visit('/agents')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const focused = () => page.evaluate('document.activeElement.tagName')
    expect(await focused()).toBe('MAIN')
    await page.getByRole('link', { name: 'Settings' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Workspace' }).waitFor()
    await expect.poll(focused).toBe('MAIN')
    expect(await page.title()).toBe('Workspace · Parley')
  })

  test('on a phone the navigation is a drawer that closes on arrival', async () => {
    const page = await service.visit('/agents', { viewport: { width: 360, height: 740 } })
    await page.getByRole('button', { name: 'Open navigation' }).click()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { level: 1, name: 'Workspace' }).waitFor()
    await page.getByRole('button', { name: 'Open navigation' }).waitFor()
    expect(await page.getByRole('link', { name: 'Settings' }).isVisible()).toBe(false)
  })

  test("an unknown URL says so, and someone else's agent looks like an unknown one", async () => {
    const page = await service.visit('/settings/nowhere')
    await page.getByRole('heading', { name: 'Not found' }).waitFor()
    await expectSound(service, 'nothing-here', '/settings/nowhere')
    const ned = await service.account('Ned')
    const theirs = (await service.call('create_app', { name: 'Secret' }, ned)) as { id: string }
    for (const id of [theirs.id, 'no-such-agent-1']) {
      await page.goto(`${service.baseUrl}/agents/${id}/build`)
      await page.getByRole('heading', { name: 'Not found' }).waitFor()
    }
    await page.getByRole('link', { name: 'Go to your agents' }).click()
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
    await page.goto(`${service.baseUrl}/agents/shop-10002/analytics/conversations/${theirs.id}`)
    await page.getByText('It may have been deleted').waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  })

  test('a list of ten thousand agents scrolls, and only visible rows are rendered', async () => {
    const list = '**/api/dashboard/operations/list_apps'
    const open = await service.visit('/agents/new')
    const { items } = (await service.call('list_apps')) as { items: object[] }
    await open.route(list, (route) =>
      route.fulfill({
        json: {
          items: Array.from({ length: 10_000 }, (_, n) => ({
            ...items[0],
            id: `${n}`,
            name: `Agent ${n}`,
          })),
          next_cursor: null,
        },
      }),
    )
    await open.goto(`${service.baseUrl}/agents`)
    const main = open.getByRole('main')
    await main.getByText('Agent 0', { exact: true }).waitFor()
    expect(await main.getByRole('listitem').count()).toBeLessThan(60)
    // The end moves while rows are measured.
    const last = main.getByText('Agent 9999', { exact: true })
    const atEnd = async () => {
      await open.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
      return await last.count()
    }
    await expect.poll(atEnd, { timeout: 10_000 }).toBe(1)
    expect(await main.getByRole('listitem').count()).toBeLessThan(60)
  })

  test('a dialog keeps the scroll position of a long list and returns the focus', async () => {
    const lines = Array.from({ length: 80 }, (_, n) => `Tea ${n},L-${n},100`)
    const csv = ['name,sku,price_amount', ...lines].join('\n')
    const { app_name_id: teas } = await service.call('create_app', { name: 'Many teas' })
    await service.call('import_products', { app_id: teas, csv })
    const page = await service.visit(`/agents/${String(teas)}/publish/catalog/products`)
    const edit = page.getByRole('button', { name: 'Edit Tea 40', exact: true })
    const list = page.getByRole('main').getByRole('list', { name: 'Products' })
    await list.getByRole('listitem').first().waitFor()
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 600)
        return await edit.count()
      })
      .toBe(1)
    await edit.scrollIntoViewIfNeeded()
    const before = await page.evaluate('scrollY')
    await edit.click()
    await page.getByRole('dialog').getByLabel('Name').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.evaluate('scrollY')).toBe(before)
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
      .toBe('Edit Tea 40')
  })

  test('an agent is exported, imported, duplicated and deleted', async () => {
    await service.call('create_app', { name: 'Traveller', system_prompt: 'Be kind.' })
    const page = await service.visit('/agents')
    const main = page.getByRole('main')
    await main.getByRole('link', { name: 'Traveller' }).click()
    const menu = page.getByRole('button', { name: 'More options for Traveller' })
    await menu.click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export', exact: true }).click(),
    ])
    expect(file.suggestedFilename()).toMatch(/^traveller-\d+\.json$/)
    await menu.click()
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await page.getByText(/^Copy created/).waitFor()
    await page.goto(`${service.baseUrl}/agents`)
    await main.getByRole('button', { name: 'Import' }).click()
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('dialog').getByRole('button', { name: 'Choose a file' }).click(),
    ])
    await chooser.setFiles(await file.path())
    await page.getByText('Agent Traveller was imported').waitFor()
    await page.waitForURL(/\/agents\/traveller-\d+\/build/)
    await page.getByRole('button', { name: 'More options for Traveller' }).click()
    await page.getByRole('menuitem', { name: 'Delete agent' }).click()
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Delete agent' })
    await remove.click()
    await page.getByText('This is not the agent’s name.').waitFor()
    await page.getByLabel('Type Traveller to confirm').fill('Traveller')
    await remove.click()
    await page.getByText('Agent Traveller was deleted').waitFor()
    await page.waitForURL(/\/agents$/)
    const listed = main.getByRole('link', { name: 'Traveller' })
    await main.getByText('What Shop is for').waitFor()
    expect(await listed.count()).toBe(2)
  })

  test('content that cannot be loaded can be retried, and the rest of the page stays', async () => {
    const page = await service.visit('/settings/workspace')
    const lists = '**/api/dashboard/operations/list_apps'
    await page.route(lists, (route) => route.abort())
    await page.getByRole('link', { name: 'Agents' }).click()
    await page.getByText('Could not reach the service.').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
    await page.unroute(lists)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('main').getByText('What Shop is for').waitFor()
  })
})
