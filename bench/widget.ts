import { parseArgs } from 'node:util'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { launchChromium } from '../server/test/support/browser/chromium.ts'
import { until } from '../server/test/support/until.ts'
import { startHostSite } from '../server/test/support/browser/host-site.ts'
import { startGenerator } from './chat/generator.ts'
import { startParley } from './subjects/parley.ts'
import { root } from './suite/machine.ts'
import { percentile } from './suite/statistics.ts'

/**
 * What the widget costs a page that embeds it, until it is opened: `node bench/widget.ts`. The page is
 * loaded with and without it in turns, each time in a new browser context whose processor is slowed down
 * four times, as Lighthouse does for phones; `--slowdown 1` measures without. `--loads 15` says how often.
 * `--checkout FOLDER` measures the widget of another checkout, whose dashboard is built.
 */

interface Figures {
  /** Bytes on the wire, with headers, without those of the page itself. */
  readonly bytes: number
  readonly requests: number
  /** Milliseconds of the main thread until the page has loaded, and a second and a half later. */
  readonly loading: number
  readonly tasks: number
  /** Milliseconds of the scripts among them. */
  readonly scripts: number
  /** Milliseconds of tasks beyond their first 50: Lighthouse's total blocking time. */
  readonly blocking: number
  /** Cumulative layout shift. */
  readonly shift: number
  /** Milliseconds until the largest content is painted. */
  readonly painted: number
}

const generator = await startGenerator()
const { values } = parseArgs({
  options: {
    checkout: { type: 'string', default: root },
    loads: { type: 'string', default: '15' },
    slowdown: { type: 'string', default: '4' },
  },
})
const { checkout } = values
const loads = Number(values.loads)
const slowdown = Number(values.slowdown)
const parley = await startParley({ modelUrl: generator.modelUrl, databaseUrl: null, checkout })
const browser = await launchChromium()
try {
  const host = startHostSite(parley.origin)
  const { id } = await parley.call('create_app', { name: 'Bench' })
  const page = { app_id: id, enabled: true, widget_origins: [host.origin] }
  const { widget_key } = await parley.call('update_chat_page', page)
  const tag = `<script async src="${parley.origin}/chat-assets/widget.js" data-key="${widget_key}"></script>`
  const text = Array.from({ length: 200 }, (_, n) => `<p>Paragraph ${n} of the page.</p>`).join('')
  const found: Record<'without' | 'with', Figures[]> = { without: [], with: [] }
  console.log(`${loads} loads each, processor slowed down ${slowdown} times; medians`)
  await measure(browser, host, text, false)
  for (let n = 0; n < loads; n += 1) {
    found.without.push(await measure(browser, host, text, false))
    found.with.push(await measure(browser, host, text + tag, true))
  }
  for (const [name, figures] of Object.entries(found)) {
    const middle = (key: keyof Figures) =>
      percentile(
        figures.map((one) => one[key]),
        0.5,
      )
    console.log(
      `${name} the widget: ${middle('requests')} requests, ${middle('bytes')} bytes, main thread ${middle('loading').toFixed(1)} ms until loaded, ${middle('tasks').toFixed(1)} ms later (scripts ${middle('scripts').toFixed(1)} ms), blocking ${middle('blocking').toFixed(1)} ms, layout shift ${middle('shift')}, largest paint ${middle('painted').toFixed(0)} ms`,
    )
  }
} finally {
  await browser.close()
  await parley.stop()
  generator.stop()
}

async function measure(
  browser: Browser,
  host: ReturnType<typeof startHostSite>,
  markup: string,
  hasWidget: boolean,
): Promise<Figures> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  await host.serve(page, markup)
  const cdp = await context.newCDPSession(page)
  await cdp.send('Performance.enable')
  await cdp.send('Network.enable')
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  let bytes = 0
  let requests = 0
  const own = new Set<string>()
  cdp.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (request.url.startsWith(host.origin)) own.add(requestId)
  })
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (own.has(requestId)) return
    requests += 1
    bytes += encodedDataLength
  })
  await page.goto(`${host.origin}/`, { waitUntil: 'load' })
  const loaded = await metricsOf(cdp)
  // What the browser still does belongs to the load. Asking the page would be work of its own.
  await page.waitForTimeout(1500)
  // On a busy machine the loader finds its idle moments later.
  if (hasWidget) await until('the widget has loaded', () => requests >= 2, { patienceMs: 10_000 })
  const ended = await metricsOf(cdp)
  if (hasWidget && requests !== 2) throw new Error(`${requests} requests of the widget`)
  const seen = await seenBy(page)
  await context.close()
  return {
    bytes,
    requests,
    loading: loaded('TaskDuration'),
    tasks: ended('TaskDuration'),
    scripts: ended('ScriptDuration'),
    ...seen,
  }
}

/** The times of a page so far, in milliseconds. */
async function metricsOf(cdp: CDPSession): Promise<(name: string) => number> {
  const { metrics } = await cdp.send('Performance.getMetrics')
  return (name) => (metrics.find((one) => one.name === name)?.value ?? 0) * 1000
}

/** What the page's own observers have seen. */
async function seenBy(page: Page): Promise<Pick<Figures, 'shift' | 'painted' | 'blocking'>> {
  return await page.evaluate(`new Promise((done) => {
    const found = { shift: 0, painted: 0, blocking: 0 }
    const take = (list) => { for (const one of list.getEntries()) {
      if (one.entryType === 'layout-shift') found.shift += one.value
      else if (one.entryType === 'longtask') found.blocking += one.duration - 50
      else found.painted = one.startTime
    } }
    new PerformanceObserver(take).observe({ type: 'layout-shift', buffered: true })
    new PerformanceObserver(take).observe({ type: 'longtask', buffered: true })
    new PerformanceObserver((list) => { take(list); done(found) }).observe({ type: 'largest-contentful-paint', buffered: true })
  })`)
}
