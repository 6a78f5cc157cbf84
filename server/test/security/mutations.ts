import fc, { type Arbitrary } from 'fast-check'

/** A request's body, and what its headers say about it. */
export interface Payload {
  readonly body: string | Uint8Array
  /** Null for none. */
  readonly type: string | null
  readonly encoding: string | null
  /** What differs from the entry, if anything. */
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

const nested = (depth: number, open: string, close: string) =>
  `${open.repeat(depth)}1${close.repeat(depth)}`

/** Stands for a number that JSON allows and JavaScript cannot write. */
const hugeNumber = '\u0001huge number\u0001'

/** Values that break code which trusts a type, a range, a length or an alphabet. */
const hostile: readonly unknown[] = [
  null,
  true,
  '',
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  1e308,
  hugeNumber,
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfffy',
  '\ufeff\u202e\u2028',
  '💥'.repeat(300),
  'x'.repeat(70_000),
  "' or 1=1; --",
  '%00../../etc/passwd',
  '${jndi:ldap://x}{{7*7}}<script>',
  'constructor',
  '__proto__',
  '9999999999999999999999',
  '2026-02-30T99:99:99Z',
  [],
  {},
  [[[[[[[[[[]]]]]]]]]],
  Array.from({ length: 2000 }, () => 0),
  Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`field ${n}`, n])),
  { $ne: null },
  { toString: 1, valueOf: 1, length: -1 },
  JSON.parse('{"__proto__":{"isOperator":true},"constructor":{"prototype":{}}}'),
  JSON.parse(nested(60, '[', ']')),
]

/** Replaces, adds or removes something at a random depth of a value. */
function spoiled(value: unknown): Arbitrary<unknown> {
  const replaced = fc.constantFrom(...hostile)
  if (typeof value !== 'object' || value === null) return replaced
  const entries = Object.entries(value)
  if (entries.length === 0) return replaced
  const within = fc
    .constantFrom(...entries)
    .chain(([key, inner]) => spoiled(inner).map((spoilt) => put(value, key, spoilt)))
  const added = fc
    .tuple(fc.constantFrom('__proto__', 'constructor', '', '\u0000', 'a'.repeat(300)), replaced)
    .map(([key, extra]) => put(value, key, extra))
  return fc.oneof({ arbitrary: within, weight: 6 }, added, replaced)
}

function put(value: object, key: string, part: unknown): unknown {
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === key ? part : item))
  const copy: Record<string, unknown> = { ...value }
  Object.defineProperty(copy, key, { value: part, enumerable: true })
  return copy
}

function asJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(JSON.stringify(hugeNumber), '1e999')
}

/** A JSON text like a valid one, with something wrong at a random depth. */
export const spoiltJson = (valid: unknown): Arbitrary<string> => spoiled(valid).map(asJson)

/** Damages a text that was valid. */
function damaged(text: string): Arbitrary<string | Uint8Array> {
  return fc.oneof(
    fc.nat(text.length).map((at) => text.slice(0, at)),
    fc.constant(`\ufeff${text}`),
    fc.constant(`${text}${text}`),
    fc.constant(text.replace('{', '{"model":1,"model":2,"__proto__":[],')),
    fc.constant(text.replaceAll('"', "'")),
    fc.constantFrom('', ' ', 'null', '[]', '"x"', '0', 'NaN', '{"a":1,}', '\u0000'),
    fc.constantFrom(nested(100_000, '[', ']'), nested(50_000, '{"a":', '}'), '['.repeat(100_000)),
    fc.uint8Array({ maxLength: 200 }),
    fc.constant(Buffer.from(text, 'utf16le')),
    fc.constant(Buffer.concat([Buffer.from(text.slice(0, 10)), Buffer.from([0xff, 0xc0, 0x80])])),
  )
}

const types = [
  null,
  '',
  'text/plain',
  'application/json; charset=utf-16',
  'application/json;charset="\u00e9"',
  'application/json, application/json',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  `application/${'x'.repeat(5000)}`,
]

const encodings = ['gzip', 'deflate', 'br', 'identity', 'gzip, gzip', 'x']

/** Bodies that an entry accepts. */
export function wholeJson(valid: Arbitrary<unknown>): Arbitrary<Payload> {
  return valid.map(asJson).map((body) => ({ body, type: 'application/json', encoding: null }))
}

/** Bodies of a JSON entry: valid ones, ones with a wrong part, damaged ones, mislabelled ones. */
export function jsonPayloads(valid: Arbitrary<unknown>): Arbitrary<Payload> {
  const plain = (body: string | Uint8Array): Payload => ({
    body,
    type: 'application/json',
    encoding: null,
  })
  const texts = valid.map(asJson)
  return fc.oneof(
    { arbitrary: texts.map(plain), weight: 3 },
    { arbitrary: valid.chain(spoiled).map(asJson).map(plain), weight: 6 },
    { arbitrary: texts.chain(damaged).map(plain), weight: 2 },
    fc.tuple(texts, fc.constantFrom(...types)).map(([body, type]) => ({ ...plain(body), type })),
    fc
      .tuple(texts, fc.constantFrom(...encodings))
      .map(([body, encoding]) => ({ ...plain(body), encoding })),
  )
}

const pieces = ['%', '%zz', '%00', '%ff%fe', '%ed%a0%80', '+', '&&&', '=', 'x'.repeat(70_000)]

/** Bodies of a form: the fields with wrong values, repeated, missing, or badly encoded. */
export function formPayloads(valid: Arbitrary<Record<string, unknown>>): Arbitrary<Payload> {
  const form = 'application/x-www-form-urlencoded'
  const texts = valid.map((fields) => {
    const entries = Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value ?? ''),
    ])
    return new URLSearchParams(entries).toString()
  })
  const plain = (body: string | Uint8Array): Payload => ({ body, type: form, encoding: null })
  return fc.oneof(
    { arbitrary: texts.map(plain), weight: 2 },
    fc
      .tuple(texts, fc.constantFrom(...pieces))
      .chain(([text, piece]) =>
        fc.nat(text.length).map((at) => plain(text.slice(0, at) + piece + text.slice(at))),
      ),
    texts.map((text) => plain(`${text}&${text}`)),
    fc.constant(plain(Array.from({ length: 5000 }, (_, n) => `f${n}=1`).join('&'))),
    fc.uint8Array({ maxLength: 200 }).map(plain),
    fc.tuple(texts, fc.constantFrom(...types)).map(([body, type]) => ({ ...plain(body), type })),
  )
}

/** Forms with files: whole, cut, with strange names and headers, and what is no form at all. */
export const multipartPayloads: Arbitrary<Payload> = fc
  .record({
    parts: fc.array(
      fc.record({
        name: fc.constantFrom('file', 'purpose', 'expires_after[seconds]', '__proto__', '', 'x"y'),
        filename: fc.option(fc.string({ maxLength: 30 })),
        header: fc.constantFrom('', 'Content-Type: image/png', 'Content-Type: ;;;', 'x', ':'),
        content: fc.oneof(fc.string({ maxLength: 200 }), fc.constantFrom('user_data', '\r\n--b')),
      }),
      { maxLength: 4 },
    ),
    type: fc.constantFrom('multipart/form-data; boundary=b', 'multipart/form-data', 'text/plain'),
    kept: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ parts, type, kept }) => {
    const written = parts.map(({ name, filename, header, content }) => {
      const file = filename === null ? '' : `; filename="${filename}"`
      const disposition = `Content-Disposition: form-data; name="${name}"${file}`
      return `--b\r\n${disposition}\r\n${header}\r\n\r\n${content}\r\n`
    })
    const body = `${written.join('')}--b--\r\n`
    const length = kept < 0.5 ? body.length : Math.floor(body.length * kept)
    return { body: body.slice(0, length), type, encoding: null }
  })
