import { beforeAll, describe, expect, test } from 'vitest'
import type { Frame, Page } from 'playwright-core'
import { picture } from '#test/support/browser/browser-service.ts'
import { startCaptchaServer, type CaptchaServer } from '#test/support/servers/captcha-server.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { hostWidget, type HostedWidget } from '#test/support/browser/hosted-widget.ts'

const providers = [
  { name: 'turnstile', script: 'https://challenges.cloudflare.com/turnstile/v0/api.js' },
  { name: 'hcaptcha', script: 'https://js.hcaptcha.com/1/api.js' },
] as const

/** A provider as far as it is documented: the widget needs a click, or says that it fails. */
const widgetScript = (name: string, token: string) => `
  window.tried = Promise.allSettled([
    fetch('/login'), fetch('/chat-assets/page.js'), Promise.resolve(window.open('/login') ?? Promise.reject()),
  ])
  window.${name} = { render(container, { sitekey, callback, 'error-callback': fail }) {
    const button = document.createElement('button')
    button.textContent = 'I am human: ' + sitekey
    button.onclick = () => ${token === '' ? 'fail("300010")' : `callback(${JSON.stringify(token)})`}
    container.append(button)
  } }
  window[new URL(document.querySelector('script[src*="onload=parleyShow"]').src).searchParams.get('onload')]()`

describe.each(providers)('with $name', ({ name, script }) => {
  describeDashboard('a visitor who must solve a captcha', (open) => {
    let service: DashboardService
    let provider: CaptchaServer
    let widget: HostedWidget

    beforeAll(async () => {
      provider = await startCaptchaServer(name)
      service = await open(provider.environment)
      widget = await hostWidget(service)
      const text = 'The shop opens at nine and closes at six from Monday to Friday.'
      await service.call('add_knowledge_source', { app_id: widget.appId, title: 'Shop', text })
    })

    /** Every request to the provider's host gets this script, or none. */
    const serveProvider = async (page: Page, token: string | null) => {
      const loaded: string[] = []
      await page.context().route(`${new URL(script).origin}/**`, async (route) => {
        loaded.push(route.request().url())
        if (token === null) await route.abort()
        else
          await route.fulfill({ contentType: 'text/javascript', body: widgetScript(name, token) })
      })
      return loaded
    }

    const ask = async (page: Page, chat: Page | Frame, question: string) => {
      await chat.getByLabel('Write a message').fill(question)
      await page.keyboard.press('Enter')
      await chat.getByText(question).waitFor()
    }

    /** Sends messages until one needs a captcha, and opens it. */
    const openCaptcha = async (page: Page, chat: Page | Frame) => {
      const confirm = chat.getByRole('button', { name: 'Confirm', exact: true })
      await ask(page, chat, 'When does the shop open?')
      await chat.locator('body:not(.busy)').or(confirm).first().waitFor()
      if (!(await confirm.isVisible())) await ask(page, chat, 'When does it close?')
      const opened = page.waitForEvent('popup')
      await confirm.click()
      return await opened
    }

    const chatPage = async () => {
      const page = await service.page({ locale: 'en-GB' })
      const { url } = await service.call('get_chat_page', { app_id: widget.appId })
      return { page, url: String(url) }
    }

    test('opens it in a window, which closes, and the message is sent', async () => {
      const { page, url } = await chatPage()
      const loaded = await serveProvider(page, provider.solve('localhost'))
      await page.goto(url)
      const captcha = await openCaptcha(page, page)
      const messages = page.locator('#messages')
      await messages.getByText('Please confirm that you are a person.').waitFor()
      const human = captcha.getByRole('button', { name: /^I am human/ })
      await human.waitFor()
      await picture(page, `captcha-page-${name}`)
      await picture(captcha, `captcha-window-${name}`)
      expect(loaded).toEqual([`${script}?render=explicit&onload=parleyShow`])
      // The provider's script reaches nothing of the service.
      const tried = await captcha.evaluate('tried.then((all) => all.map(({ status }) => status))')
      expect(tried).toEqual(['rejected', 'rejected', 'rejected'])
      await Promise.all([captcha.waitForEvent('close'), human.click()])
      await page.locator('body:not(.busy)').waitFor()
      expect(await page.getByText('opens at nine').count()).toBeGreaterThan(0)
      expect(await page.getByText('confirm that you are a person').count()).toBe(0)
      expect(await page.locator('.notice').count()).toBe(0)
      await page.context().close()
    })

    test('does so in the widget, too', async () => {
      const page = await service.page({ locale: 'en-GB' })
      await serveProvider(page, provider.solve('localhost'))
      await widget.visit(page)
      const visit = page.waitForResponse((response) => response.url().endsWith('/visit'))
      await widget.launcher(page).click()
      const chat = await widget.chat(page)
      await visit
      const captcha = await openCaptcha(page, chat)
      await captcha.getByRole('button', { name: /^I am human/ }).click()
      await chat.locator('body:not(.busy)').waitFor()
      expect(await chat.getByText('opens at nine').count()).toBeGreaterThan(0)
      expect(await chat.locator('.notice').count()).toBe(0)
      await page.context().close()
    })

    test('reads that it failed if the widget fails, and proves work if the provider is down', async () => {
      const { page, url } = await chatPage()
      await serveProvider(page, '')
      await page.goto(url)
      const failing = await openCaptcha(page, page)
      await failing.getByRole('button', { name: /^I am human/ }).click()
      await page.locator('.notice').getByText('You could not be confirmed. Try again.').waitFor()
      await page.context().unroute(`${new URL(script).origin}/**`)
      await serveProvider(page, null)
      provider.state = 'broken'
      await ask(page, page, 'When is it open?')
      await page.getByRole('button', { name: 'Confirm', exact: true }).click()
      await page.locator('body:not(.busy)').waitFor()
      expect(await page.getByText('opens at nine').count()).toBeGreaterThan(0)
      provider.state = 'answering'
      await page.context().close()
    })
  })
})
