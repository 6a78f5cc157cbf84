import { CpuSlice } from './cpu-slice.ts'

/** Hides secrets in what others may read. */
export interface Mask {
  text(text: string): string
  /** Every text within a JSON value, including field names. */
  value(value: unknown): unknown
  /** The same for a value of any size, in slices of time. */
  valueInSlices(value: unknown): Promise<unknown>
}

export const hidden = '••••••'

/**
 * A mask for these secrets, as they are and as requests and answers encode them: percent-encoded,
 * form-encoded, escaped in JSON and HTML, and in base64. For a login, its password is hidden too.
 * Encoding a hundred long secrets takes longer than the event loop may wait.
 */
export async function createMask(secrets: readonly string[]): Promise<Mask> {
  const forms = new Set<string>()
  const slice = new CpuSlice()
  for (const secret of secrets) {
    if (slice.isOver) await slice.next()
    for (const form of partsOf(secret).flatMap(formsOf)) if (form !== '') forms.add(form)
  }
  return maskOf(forms)
}

function maskOf(forms: ReadonlySet<string>): Mask {
  // The longest first: one secret may be the beginning of another.
  const longestFirst = [...forms].toSorted((a, b) => b.length - a.length)

  const shortest = longestFirst.at(-1)?.length ?? Number.POSITIVE_INFINITY

  function text(original: string): string {
    if (original.length < shortest) return original
    let masked = original
    for (const form of longestFirst) masked = masked.replaceAll(form, hidden)
    return masked
  }

  const hasSecret = (original: string) => text(original).includes(hidden)

  function value(original: unknown): unknown {
    if (typeof original === 'string') return text(original)
    if (typeof original === 'number') return hasSecret(String(original)) ? hidden : original
    if (typeof original !== 'object' || original === null) return original
    if (Array.isArray(original)) return original.map(value)
    return Object.fromEntries(Object.entries(original).map(([key, one]) => [text(key), value(one)]))
  }

  async function textInSlices(original: string, slice: CpuSlice): Promise<string> {
    if (original.length < shortLength) return text(original)
    let masked = original
    for (const form of longestFirst) {
      if (slice.isOver) await slice.next()
      masked = masked.replaceAll(form, hidden)
    }
    return masked
  }

  async function inSlices(original: unknown, slice: CpuSlice): Promise<unknown> {
    if (slice.isOver) await slice.next()
    if (typeof original === 'string') return await textInSlices(original, slice)
    if (typeof original !== 'object' || original === null) return value(original)
    const isList = Array.isArray(original)
    const masked: [string, unknown][] = []
    for (const [key, one] of Object.entries(original))
      masked.push([isList ? key : text(key), await inSlices(one, slice)])
    return isList ? masked.map(([, one]) => one) : Object.fromEntries(masked)
  }

  const valueInSlices = (original: unknown) => inSlices(original, new CpuSlice())
  return { text, value, valueInSlices }
}

/** All forms of many secrets are found in a text of this length within a slice. */
const shortLength = 4096

/** Shorter values would hide ordinary words. */
const shortestPassword = 4

/** A secret, and its password if it is a login in the form of RFC 7617. */
function partsOf(secret: string): string[] {
  const login = Buffer.from(secret, 'base64').toString()
  const isLogin =
    Buffer.from(login).toString('base64') === secret &&
    /^[^\p{Cc}\ufffd:]*:[^\p{Cc}\ufffd]+$/u.test(login)
  const password = login.slice(login.indexOf(':') + 1)
  return isLogin && password.length >= shortestPassword ? [secret, password] : [secret]
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const percent = encodeURIComponent(secret)
  // RFC 3986 reserves more characters than that function encodes, and URL parsers encode some of
  // them.
  const strict = percent.replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  const json = JSON.stringify(secret).slice(1, -1)
  const encoded = [percent, percent.replaceAll("'", '%27'), strict]
  return [
    secret,
    ...encoded,
    ...encoded.map((text) => text.replaceAll('%20', '+')),
    ...encoded.map((text) => text.replace(/%../g, (code) => code.toLowerCase())),
    new URLSearchParams({ s: secret }).toString().slice('s='.length),
    json,
    json.replaceAll('/', '\\/'),
    json.replace(/[&<>']/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`),
    ...htmlForms(secret),
    bytes.toString('base64'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ]
}

/** How common libraries write the two quotes in HTML; text outside attributes keeps them. */
const htmlQuotes = [
  ['"', "'"],
  ['&quot;', "'"],
  ['&quot;', '&#39;'],
  ['&quot;', '&#039;'],
  ['&quot;', '&#x27;'],
  ['&#34;', '&#39;'],
] as const

function htmlForms(secret: string): string[] {
  const escaped = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return htmlQuotes.map(([double, single]) =>
    escaped.replaceAll('"', double).replaceAll("'", single),
  )
}
