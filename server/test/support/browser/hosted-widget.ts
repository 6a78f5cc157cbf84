import type { Frame, Locator, Page } from 'playwright-core'
import type { DashboardService } from './dashboard.ts'
import { startHostSite, type HostSite } from './host-site.ts'

/** An agent whose widget a site of another origin embeds. */
export interface HostedWidget {
  readonly host: HostSite
  readonly appId: string
  readonly tag: string
  change(settings: Readonly<Record<string, unknown>>): Promise<void>
  /** Opens a page of the site, with the widget and this markup. */
  visit(page: Page, path?: string, markup?: string): Promise<void>
  launcher(page: Page): Locator
  /** The chat, once the widget has been opened. */
  chat(page: Page): Promise<Frame>
}

export async function hostWidget(
  service: DashboardService,
  agent: Readonly<Record<string, unknown>> = { name: 'Shop assistant', greeting: 'Hello!' },
): Promise<HostedWidget> {
  const { id } = await service.call('create_app', agent)
  const appId = String(id)
  const host = startHostSite(service.baseUrl)
  const change = async (settings: Readonly<Record<string, unknown>>) =>
    await service.call('update_chat_page', { app_id: appId, ...settings })
  const { widget_key: key } = await change({ enabled: true, widget_origins: [host.origin] })
  const tag = `<script async src="${service.baseUrl}/chat-assets/widget.js" data-key="${String(key)}"></script>`
  return {
    host,
    appId,
    tag,
    async change(settings) {
      await change(settings)
    },
    async visit(page, path = '/prices', markup = '') {
      await host.serve(page, tag + markup)
      await page.goto(host.origin + path)
    },
    launcher: (page) => page.getByRole('button', { name: /^Open the chat/ }),
    async chat(page) {
      const element = await page.waitForSelector('iframe', { state: 'attached' })
      const frame = await element.contentFrame()
      if (frame === null) throw new Error('the widget has no frame')
      return frame
    },
  }
}
