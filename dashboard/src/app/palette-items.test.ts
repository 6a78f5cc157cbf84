import { expect, test } from 'vitest'
import { agentItems, matching, pageItems } from './palette-items.ts'

test.each([
  ['prov', ['Model providers']],
  ['PROVIDERS model', ['Model providers']],
  ['nowhere', []],
])('%j finds the pages %j', (typed, labels) => {
  expect(matching(pageItems(), typed).map(({ label }) => label)).toEqual(labels)
})

test('without a text, whole pages are offered, and no parts of them', () => {
  const offered = matching(pageItems(), '')
  expect(offered.map(({ label }) => label)).toContain('Your account')
  expect(offered.some(({ isPart }) => isPart)).toBe(false)
})

test.each([
  'Actions',
  'Variables',
  'Versions',
  'Compare',
  'Chat page',
  'Look',
  'Widget',
  'Visitors',
  'Products',
  'Orders',
  'Webhooks',
  'Conversations',
])('the part %s of the open agent is found by its name', (name) => {
  const [found] = matching(agentItems('shop-1'), name.toLowerCase())
  expect(found?.label).toContain(name)
  expect(found?.link?.params).toEqual({ appId: 'shop-1' })
})

test.each([
  ['password', '/account'],
  ['email', '/account/email'],
  ['sessions', '/account'],
  ['passkeys', '/account'],
])('%s leads to the account', (typed, path) => {
  expect(matching(pageItems(), typed).map(({ href }) => href)).toContain(path)
})

test.each([
  ['limits', '/settings/workspace'],
  ['invitations', '/settings/members'],
  ['caps', '/settings/billing'],
])('%s leads to the page of settings that has them', (typed, to) => {
  expect(matching(pageItems(), typed).map(({ link }) => link?.to)).toContain(to)
})

test('the word settings finds the settings of the open agent and every page of settings', () => {
  const [first] = matching(agentItems('shop-1'), 'settings')
  expect(first).toMatchObject({ label: 'Settings', link: { to: '/agents/$appId/build' } })
  const found = matching(pageItems(), 'settings').map(({ link }) => link?.to)
  expect(found).toEqual([
    '/settings/workspace',
    '/settings/members',
    '/settings/developer',
    '/settings/connected-apps',
    '/settings/providers',
    '/settings/billing',
    '/settings/audit',
    '/settings/jobs',
  ])
})

test('the name of a page does not list all of its parts', () => {
  expect(matching(agentItems('shop-1'), 'share').map(({ label }) => label)).toEqual(['Share'])
  expect(matching(agentItems('shop-1'), 'share look').map(({ label }) => label)).toEqual(['Look'])
})

test('the pages of the open agent lead to that agent', () => {
  expect(agentItems('shop-1').map(({ link }) => link)).toContainEqual({
    to: '/agents/$appId/knowledge',
    params: { appId: 'shop-1' },
  })
})
