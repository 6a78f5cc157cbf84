import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Violations of WCAG 2.2 AA and of axe's best practices, one line each. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  // An expression evaluated by the debugger runs regardless of the page's content security policy.
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
