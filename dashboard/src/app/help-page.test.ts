import { expect, test } from 'vitest'
import { helpPage } from './help-page.ts'

test.each([
  ['/agents', 'agents'],
  ['/agents/shop-1/build', 'agents'],
  ['/agents/shop-1/build/actions/new', 'actions'],
  ['/agents/shop-1/knowledge', 'knowledge'],
  ['/agents/shop-1/publish/catalog/orders', 'agentic-commerce'],
  ['/settings/members', 'roles'],
  ['/nowhere', 'dashboard'],
])('the help for %s is the page %s', (path, page) => {
  expect(helpPage(path)).toBe(page)
})
