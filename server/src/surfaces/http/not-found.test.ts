import { Hono } from 'hono'
import { expect, test } from 'vitest'
import type { HttpEnvironment } from './environment.ts'
import { notFound } from './not-found.ts'

const app = new Hono<HttpEnvironment>()
app.notFound(notFound({ baseUrl: 'https://parley.example/agents' }))

test('a browser at an unknown address gets a page with a link to the start page', async () => {
  const headers = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' }
  const response = await app.request('/nowhere', { headers })
  expect(response.status).toBe(404)
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(response.headers.get('vary')).toBe('Accept')
  const page = await response.text()
  expect(page).toContain('<h1>Page not found</h1>')
  expect(page).toContain('href="/agents/"')
})

test.each(['*/*', 'application/json', null])(
  'a client that accepts %s gets JSON',
  async (accept) => {
    const headers = accept === null ? {} : { accept }
    const response = await app.request('/nowhere', { headers })
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ error: 'Not found' })
  },
)
