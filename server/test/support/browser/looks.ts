import type { Page, ViewportSize } from 'playwright-core'
import { expect } from 'vitest'
import { axeViolations } from './axe.ts'
import { picture } from './browser-service.ts'

const wide: ViewportSize = { width: 1440, height: 900 }
const narrow: ViewportSize = { width: 390, height: 844 }
/** A small phone, on which nothing may overflow. */
const narrowest: ViewportSize = { width: 360, height: 740 }

/** Pictures are taken of all four; two of them show axe both themes and both widths. */
export const looks = [
  { name: 'wide-light', colorScheme: 'light', viewport: wide, isChecked: true },
  { name: 'wide-dark', colorScheme: 'dark', viewport: wide, isChecked: false },
  { name: 'narrow-dark', colorScheme: 'dark', viewport: narrow, isChecked: true },
  { name: 'narrow-light', colorScheme: 'light', viewport: narrow, isChecked: false },
] as const

export type Look = (typeof looks)[number]

/**
 * Sees the page, in the state that it is in, in every look: saves `artifacts/browser/<name>-<look>`,
 * axe finds nothing in a light and a dark look, and nothing overflows sideways, also at 360 px. The
 * page is not loaded again, and has its own size and theme again afterwards.
 */
export async function expectSoundLooks(
  page: Page,
  name: string,
  seen: readonly Look[] = looks,
): Promise<void> {
  const before = page.viewportSize()
  for (const look of seen) {
    await page.emulateMedia({ colorScheme: look.colorScheme })
    await fitsIn(page, look.viewport, `${name} ${look.name}`)
    await picture(page, `${name}-${look.name}`)
    const found = look.isChecked ? await axeViolations(page) : []
    expect({ look: look.name, found }).toEqual({ look: look.name, found: [] })
  }
  await fitsIn(page, narrowest, `${name} at ${narrowest.width} px`)
  await page.emulateMedia({ colorScheme: null })
  if (before !== null) await page.setViewportSize(before)
}

async function fitsIn(page: Page, viewport: ViewportSize, what: string): Promise<void> {
  await page.setViewportSize(viewport)
  await settle(page)
  const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
  expect(width, `${what} overflows sideways`).toBeLessThanOrEqual(viewport.width)
}

/**
 * Waits for transitions, because a half-faded colour is not the theme's. Endless animations are
 * ignored, and those of what is hidden, such as the contents of closed details, which stand still.
 */
const allStill = `Promise.allSettled(document.getAnimations()
  .filter((one) => one.effect?.getComputedTiming().endTime !== Infinity)
  .filter((one) => one.effect?.target?.checkVisibility() !== false)
  .map((one) => one.finished))`

async function settle(page: Page): Promise<void> {
  await page.evaluate('document.fonts.ready')
  // Two frames, because a theme change begins with the next frame.
  for (const _ of [1, 2]) {
    await page.evaluate('new Promise(requestAnimationFrame)')
    await page.evaluate(allStill)
  }
}
