import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** What axe finds against WCAG 2.2 AA and its own best practices, as lines to read. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  // As an expression of the debugger it runs whatever the page's policy says.
  await page.evaluate(axe.source)
  const found = await page.evaluate<Violation[]>(`axe.run(document).then(({ violations }) =>
    violations.map(({ id, help, nodes }) => ({ id, help, at: nodes.map(({ html }) => html) })))`)
  return found.map(({ id, help, at }) => `${id}: ${help}: ${at.join(' | ')}`)
}

interface Violation {
  readonly id: string
  readonly help: string
  readonly at: readonly string[]
}
