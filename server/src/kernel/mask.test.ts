import { expect, test } from 'vitest'
import { createMask, hidden } from './mask.ts'

const secret = `p&ss/<w"o'rd! ü`

test.each([
  ['as it is', secret],
  ['in JSON', JSON.stringify(secret).slice(1, -1)],
  ['in JSON with escaped slashes', String.raw`p&ss\/<w\"o'rd! ü`],
  ['in JSON that is safe in HTML', String.raw`p\u0026ss/\u003cw\"o\u0027rd! ü`],
  ['in HTML', 'p&amp;ss/&lt;w&quot;o&#39;rd! ü'],
  ['in HTML with other quotes', 'p&amp;ss/&lt;w&#34;o&#39;rd! ü'],
  ['in HTML with quotes as they are', `p&amp;ss/&lt;w"o'rd! ü`],
  ['in a URL', encodeURIComponent(secret)],
  ['in a form', new URLSearchParams({ s: secret }).toString().slice(2)],
  ['in base64', Buffer.from(secret).toString('base64')],
])('A secret is hidden %s', async (_, written) => {
  expect((await createMask([secret])).text(`<${written}>`)).toBe(`<${hidden}>`)
})

test('The password of a login is hidden where the login is the secret', async () => {
  const mask = await createMask([Buffer.from('ada:tok:en').toString('base64')])
  expect(mask.text('ada may not sign in with tok:en')).toBe(`ada may not sign in with ${hidden}`)
})

test.each(['user:pw', 'plain text with : in it', 'c2VjcmV0'])(
  'A text that is not a login has no password: %s',
  async (text) => {
    expect((await createMask([text])).text('pw in it secret')).toBe('pw in it secret')
  },
)

test('A large value is masked in slices as a small one is at once', async () => {
  const mask = await createMask([secret, 'another secret'])
  const long = `${'x'.repeat(10_000)}${secret}`
  const value = { [secret]: [secret, 1, null, { a: 'another secret', b: true }], long }
  expect(await mask.valueInSlices(value)).toEqual(mask.value(value))
  let turns = 0
  const timer = setInterval(() => (turns += 1), 1)
  await mask.valueInSlices(Array.from({ length: 200_000 }, () => 'x'.repeat(100)))
  clearInterval(timer)
  expect(turns).toBeGreaterThan(5)
})

test('A mask for many long secrets is created in slices', async () => {
  const secrets = Array.from({ length: 100 }, (_, n) => `${1000 + n}`.padEnd(8000, `ab+/&<>"'% é`))
  let turns = 0
  const timer = setInterval(() => (turns += 1), 1)
  const mask = await createMask(secrets)
  clearInterval(timer)
  expect(turns).toBeGreaterThan(5)
  expect(mask.text(`<${secrets[99]}>`)).toBe(`<${hidden}>`)
})
