import { charsetOf, readRobotsHeader, type RobotsDirectives } from '#features/file-readers/index.ts'
import type { DocumentRow } from '#features/knowledge/index.ts'
import { Fault } from '#kernel/fault.ts'
import { isNamed } from '#kernel/named-error.ts'
import type { Context } from '#platform/context.ts'
import type { OutboundRefusal, OutboundRefused } from '#platform/outbound-http/outbound-refused.ts'
import type { OutboundResponse } from '#platform/outbound-http/outbound.ts'
import { pageFaults } from './page-faults.ts'

const pageLimits = { maxBytes: 16 * 1024 * 1024, timeoutMs: 30_000 }

export interface FetchedPage {
  /** After redirects. */
  readonly url: string
  readonly body: Buffer
  readonly mediaType: string | null
  readonly charset: string | null
  readonly etag: string | null
  readonly lastModified: string | null
  /** The directives of the response headers. */
  readonly robots: RobotsDirectives
}

/**
 * Fetches a page, if it has changed since it was read.
 *
 * @returns null when it has not (RFC 9110 §15.4.5)
 * @throws Fault those of pageFaults
 */
export async function fetchPage(
  { outbound }: Pick<Context, 'outbound'>,
  url: string,
  known: Pick<DocumentRow, 'etag' | 'last_modified'> | null,
  signal: AbortSignal,
): Promise<FetchedPage | null> {
  const headers = { accept: 'text/html, application/pdf, text/*, */*;q=0.5', ...conditions(known) }
  const answer = await request(outbound, url, { headers, signal, ...pageLimits })
  const { status } = answer
  const robots = readRobotsHeader(answer.headers['x-robots-tag'])
  // A page that is no longer to be indexed has changed in any case: it is fetched again.
  if (status === 304 && known !== null)
    return robots.mayIndex ? null : await fetchPage({ outbound }, url, null, signal)
  if (status === 404 || status === 410) throw new Fault(pageFaults.page_missing, { url, status })
  if (status === 429 || status >= 500) throw new Fault(pageFaults.page_unavailable, { url, status })
  if (status < 200 || status > 299) throw new Fault(pageFaults.page_refused, { url, status })
  const mediaType = answer.headers['content-type'] ?? null
  return {
    url: answer.url,
    body: answer.body,
    mediaType,
    charset: charsetOf(mediaType),
    etag: answer.headers.etag ?? null,
    lastModified: answer.headers['last-modified'] ?? null,
    robots,
  }
}

function conditions(known: Pick<DocumentRow, 'etag' | 'last_modified'> | null) {
  return {
    ...(known?.etag ? { 'if-none-match': known.etag } : {}),
    ...(known?.last_modified ? { 'if-modified-since': known.last_modified } : {}),
  }
}

async function request(
  outbound: Context['outbound'],
  url: string,
  options: Parameters<Context['outbound']['request']>[1],
): Promise<OutboundResponse> {
  try {
    return await outbound.request(url, options)
  } catch (error) {
    if (!isNamed<OutboundRefused>(error, 'OutboundRefused')) throw error
    throw new Fault(faultOfRefusal[error.reason], { url }, { cause: error })
  }
}

const faultOfRefusal = {
  // Both look the same and take as many attempts: a difference would reveal our network.
  private_address: pageFaults.page_unreachable,
  unreachable: pageFaults.page_unreachable,
  timeout: pageFaults.page_too_slow,
  too_large: pageFaults.page_too_large,
  too_many_redirects: pageFaults.page_redirects,
  redirect_refused: pageFaults.page_redirects,
  bad_encoding: pageFaults.page_unavailable,
  bad_url: pageFaults.page_address_refused,
  scheme: pageFaults.page_address_refused,
  credentials_in_url: pageFaults.page_address_refused,
  port: pageFaults.page_address_refused,
} satisfies Record<OutboundRefusal, unknown>
