/** Hides secrets in what others may read. */
export interface Mask {
  text(text: string): string
  /** Every text within a JSON value, including field names. */
  value(value: unknown): unknown
}

export const hidden = '••••••'

/**
 * A mask for these secrets, as they are and as requests and answers encode them: percent-encoded,
 * form-encoded, escaped in JSON and HTML, and in base64. For a login, its password is hidden too.
 */
export function createMask(secrets: readonly string[]): Mask {
  const forms = [...new Set(secrets.flatMap(partsOf).flatMap(formsOf))].filter(
    (form) => form !== '',
  )
  // The longest first: one secret may be the beginning of another.
  const longestFirst = forms.toSorted((a, b) => b.length - a.length)

  function text(original: string): string {
    let masked = original
    for (const form of longestFirst) masked = masked.replaceAll(form, hidden)
    return masked
  }

  function value(original: unknown): unknown {
    if (typeof original === 'string') return text(original)
    if (typeof original === 'number') return text(String(original)).includes(hidden) ? hidden : original // prettier-ignore
    if (typeof original !== 'object' || original === null) return original
    if (Array.isArray(original)) return original.map(value)
    return Object.fromEntries(Object.entries(original).map(([key, one]) => [text(key), value(one)]))
  }

  return { text, value }
}

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
