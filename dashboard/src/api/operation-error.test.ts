import { expect, test } from 'vitest'
import { errorFrom, errorOf } from './operation-error.ts'

test('an error has the code, sentence, issues and request id of the service', () => {
  const error = errorFrom(400, {
    error: {
      code: 'invalid_input',
      message: 'The input is invalid.',
      issues: ['name: is required', 'url: is not a URL'],
      request_id: 'r-1',
    },
  })
  expect(error).toMatchObject({
    code: 'invalid_input',
    message: 'The input is invalid.',
    status: 400,
    requestId: 'r-1',
  })
  expect(error.issueOf('url')).toBe('is not a URL')
  expect(error.issueOf('ur')).toBeUndefined()
})

test('a body that is not JSON is described by its status', async () => {
  const error = await errorOf(new Response('<html>', { status: 502 }))
  expect(error).toMatchObject({ code: '502', message: 'HTTP 502', requestId: null })
})

test('only a service that is away counts as an outage', () => {
  expect([0, 502, 503].map((status) => errorFrom(status, null).isOutage)).toEqual([
    true,
    true,
    true,
  ])
  expect([400, 404, 429, 500].some((status) => errorFrom(status, null).isOutage)).toBe(false)
})

test('an outage and a reached rate limit pass', () => {
  expect([0, 429, 503].every((status) => errorFrom(status, null).isPassing)).toBe(true)
  expect([400, 404, 500].some((status) => errorFrom(status, null).isPassing)).toBe(false)
})
