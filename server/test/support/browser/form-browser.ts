type Send = (url: string, init: RequestInit) => Promise<Response>

interface Visit {
  readonly response: Response
  readonly html: string
  readonly url: URL
}

export interface FormBrowserOptions {
  readonly origin: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * A minimal browser for pages without scripts: cookies, which it sends to their paths, forms and the
 * headers that browsers send. It follows redirects within the service and stops at the first one that leaves it.
 */
export class FormBrowser {
  readonly cookies = new Map<string, string>()
  /** The paths of each cookie that an answer has set. What a test sets is sent everywhere. */
  private readonly paths = new Map<string, Set<string>>()
  /** Every Set-Cookie line that it received. */
  readonly cookieLines: string[] = []
  private readonly send: Send
  private readonly options: FormBrowserOptions
  private page: Visit | null = null

  constructor(send: Send, options: FormBrowserOptions) {
    this.send = send
    this.options = options
  }

  get html(): string {
    return this.visit.html
  }

  get response(): Response {
    return this.visit.response
  }

  get url(): URL {
    return this.visit.url
  }

  private get visit(): Visit {
    if (this.page === null) throw new Error('the browser has opened nothing yet')
    return this.page
  }

  /**
   * Opens an address like a person who follows a link.
   *
   * @returns the address at which a redirect left the service
   */
  async open(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string | null> {
    return await this.go(new URL(path, this.options.origin), { headers })
  }

  /** The fields of the form that posts to a path, as sent without a button. */
  formOf(path: string): URLSearchParams {
    const forms = [...this.html.matchAll(/<form\b[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)]
    const form = forms.find(([, action]) => action === path)
    if (form?.[2] === undefined) throw new Error(`no form to ${path} on ${this.url.pathname}`)
    const fields = new URLSearchParams()
    for (const [, attributes = ''] of form[2].matchAll(/<input\b([^>]*)>/gs)) {
      const name = attribute(attributes, 'name')
      const isBox = /type="(?:checkbox|radio)"/.test(attributes)
      const isSent = !isBox || /\bchecked\b/.test(attributes.replace(/"[^"]*"/g, ''))
      if (name !== null && isSent) fields.append(name, attribute(attributes, 'value') ?? '')
    }
    for (const [, attributes = '', options = ''] of form[2].matchAll(
      /<select\b([^>]*)>(.*?)<\/select>/gs,
    )) {
      const chosen = /<option value="([^"]*)"\s+selected/.exec(options)?.[1]
      fields.append(attribute(attributes, 'name') ?? '', chosen ?? '')
    }
    return fields
  }

  /** Submits the form that posts to a path, with some fields changed. */
  async submit(
    path: string,
    changes: Readonly<Record<string, string | readonly string[]>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<string | null> {
    const fields = this.formOf(path)
    for (const [name, value] of Object.entries(changes)) {
      fields.delete(name)
      for (const item of [value].flat()) fields.append(name, item)
    }
    return await this.post(path, fields, headers)
  }

  async post(
    path: string,
    fields: URLSearchParams,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<string | null> {
    return await this.go(new URL(path, this.options.origin), {
      method: 'POST',
      body: fields.toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        origin: 'null',
        ...headers,
      },
    })
  }

  private async go(start: URL, first: RequestInit): Promise<string | null> {
    let url = start
    let init = first
    for (let hops = 0; hops < 10; hops += 1) {
      const response = await this.send(url.href, { ...init, headers: this.headersOf(url, init) })
      this.keepCookies(response)
      const location = response.headers.get('location')
      this.page = { response, url, html: await response.clone().text() }
      if (location === null) return null
      url = new URL(location, url)
      if (url.origin !== this.options.origin) return url.href
      init = {}
    }
    throw new Error('too many redirects')
  }

  private headersOf({ pathname }: URL, init: RequestInit): Headers {
    const headers = new Headers(this.options.headers)
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
    const sent = [...this.cookies].filter(([name]) => this.isSentTo(pathname, name))
    if (sent.length > 0)
      headers.set('cookie', sent.map(([name, value]) => `${name}=${value}`).join('; '))
    return headers
  }

  /** RFC 6265bis §5.1.4 */
  private isSentTo(pathname: string, name: string): boolean {
    const paths = this.paths.get(name)
    if (paths === undefined) return true
    return [...paths].some((path) => `${pathname}/`.startsWith(path === '/' ? path : `${path}/`))
  }

  private keepCookies(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      this.cookieLines.push(line)
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      const path = /; Path=([^;]*)/i.exec(line)?.[1] ?? '/'
      const paths = this.paths.get(name) ?? new Set()
      if (/max-age=0/i.test(line)) paths.delete(path)
      else paths.add(path)
      if (paths.size === 0) this.forget(name)
      else this.paths.set(name, paths)
      if (!/max-age=0/i.test(line)) this.cookies.set(name, value)
    }
  }

  private forget(name: string): void {
    this.paths.delete(name)
    this.cookies.delete(name)
  }
}

function attribute(attributes: string, name: string): string | null {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1]
  return value === undefined ? null : unescape(value)
}

function unescape(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}
