import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/**
 * An S3-compatible store on loopback, written from the API's documentation: signatures of version 4,
 * path-style addresses, ListObjectsV2 in pages, multipart uploads, and the documented errors. It is no
 * real store; `s3rver.ts` starts one that others have written.
 */
export interface S3Server {
  readonly endpoint: string
  readonly objects: Map<string, Buffer>
  /** Multipart uploads that were neither completed nor aborted. */
  readonly uploads: Map<string, Map<number, Buffer>>
  /** Method and path of each request. */
  readonly requests: string[]
  /** Answers the next requests in this way instead. */
  readonly failures: Failure[]
  /** Stores other bytes than were sent. */
  corrupts: boolean
  environment(path?: string): Record<string, string>
  close(): Promise<void>
}

interface Failure {
  readonly status: number
  readonly code: string
  /** Only for requests whose method and path match. */
  readonly on?: RegExp
}

export const s3Keys = { id: 'AKIDEXAMPLE', secret: 's3-secret-0f1e2d3c4b5a6978' } as const
const region = 'eu-test-1'
const bucket = 'parley-backups'
const keysPerPage = 2
const leastPartBytes = 5 * 1024 * 1024

export async function startS3Server(): Promise<S3Server> {
  const state = {
    objects: new Map<string, Buffer>(),
    uploads: new Map<string, Map<number, Buffer>>(),
    requests: new Array<string>(),
    failures: new Array<Failure>(),
    corrupts: false,
  }
  const server = createServer((request, response) => {
    void answer(state, request).then(({ status, headers = {}, body = '' }) =>
      respond(response, status, headers, body),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // listens on TCP
  const endpoint = `http://127.0.0.1:${port}`
  return Object.assign(state, {
    endpoint,
    environment: (path = 'instance/daily') => ({
      BACKUP_TO: `s3://${bucket}/${path}`,
      S3_ENDPOINT: endpoint,
      S3_REGION: region,
      S3_ACCESS_KEY_ID: s3Keys.id,
      S3_SECRET_ACCESS_KEY: s3Keys.secret,
    }),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}

type State = Pick<S3Server, 'objects' | 'uploads' | 'requests' | 'failures' | 'corrupts'>

interface Answer {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
}

function respond(
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  body: string | Buffer,
): void {
  response.writeHead(status, headers).end(body)
}

const error = (status: number, code: string): Answer => ({
  status,
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${s3Keys.id}</Message></Error>`,
})

async function answer(state: State, request: IncomingMessage): Promise<Answer> {
  const url = new URL(request.url ?? '/', 'http://host')
  const body = await buffer(request)
  const line = `${request.method} ${url.pathname}${url.search}`
  state.requests.push(line)
  const at = state.failures.findIndex(({ on }) => on === undefined || on.test(line))
  const [failure] = at === -1 ? [] : state.failures.splice(at, 1)
  if (failure !== undefined) return error(failure.status, failure.code)
  const problem = problemOf(request, url, body)
  if (problem !== null) return problem
  const [, named, ...rest] = url.pathname.split('/').map(decodeURIComponent)
  if (named !== bucket) return error(404, 'NoSuchBucket')
  const key = rest.join('/')
  if (key === '') return list(state, url.searchParams)
  if (url.searchParams.has('uploads') || url.searchParams.has('uploadId'))
    return multipart(state, request, { key, body, query: url.searchParams })
  return object(state, request, { key, body })
}

function object(
  state: State,
  { method }: IncomingMessage,
  { key, body }: { key: string; body: Buffer },
): Answer {
  switch (method) {
    case 'PUT':
      state.objects.set(key, state.corrupts ? Buffer.from(body).fill(1, 0, 1) : body)
      return { status: 200, headers: { etag: etagOf(body) } }
    case 'DELETE':
      state.objects.delete(key)
      return { status: 204 }
    default: {
      const found = state.objects.get(key)
      return found === undefined ? error(404, 'NoSuchKey') : { status: 200, body: found }
    }
  }
}

function multipart(
  state: State,
  { method }: IncomingMessage,
  { key, body, query }: { key: string; body: Buffer; query: URLSearchParams },
): Answer {
  const id = query.get('uploadId') ?? `upload-${state.uploads.size + 1}`
  if (query.has('uploads')) {
    state.uploads.set(id, new Map())
    return { status: 200, body: `<R><Key>${key}</Key><UploadId>${id}</UploadId></R>` }
  }
  const parts = state.uploads.get(id)
  if (parts === undefined) return error(404, 'NoSuchUpload')
  if (method === 'PUT') {
    parts.set(Number(query.get('partNumber')), body)
    return { status: 200, headers: { etag: etagOf(body) } }
  }
  if (method === 'POST') {
    const wanted = [...body.toString().matchAll(/<PartNumber>(\d+)<.*?<ETag>(.*?)<\/ETag>/g)]
    const bytes = wanted.map(([, number, etag]) => {
      const part = parts.get(Number(number))
      return part !== undefined && etagOf(part) === etag ? part : null
    })
    if (bytes.includes(null)) return { ...error(400, 'InvalidPart'), status: 200 }
    const whole = bytes.filter((part) => part !== null)
    if (whole.slice(0, -1).some(({ length }) => length < leastPartBytes))
      return error(400, 'EntityTooSmall')
    state.objects.set(key, Buffer.concat(whole))
  }
  state.uploads.delete(id)
  return { status: method === 'POST' ? 200 : 204, body: method === 'POST' ? '<R></R>' : '' }
}

function list({ objects }: State, query: URLSearchParams): Answer {
  if (query.get('list-type') !== '2') return error(400, 'InvalidArgument')
  const after = query.get('continuation-token') ?? ''
  const prefix = query.get('prefix') ?? ''
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted()
  const page = keys.slice(0, keysPerPage)
  const more = keys.length > page.length
  const contents = page.map(
    (key) => `<Contents><Key>${key.replaceAll('&', '&amp;')}</Key></Contents>`,
  )
  const next = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
  return {
    status: 200,
    body: `<R><IsTruncated>${more}</IsTruncated>${contents.join('')}${next}</R>`,
  }
}

const etagOf = (body: Buffer) => `"${createHash('md5').update(body).digest('hex')}"`
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** Checks the signature as "Signature Calculations for the Authorization Header" describes it. */
function problemOf(request: IncomingMessage, url: URL, body: Buffer): Answer | null {
  const { headers, method } = request
  const [, id, day, ofRegion, names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=(\w+)\/(\d+)\/([\w-]+)\/s3\/aws4_request, SignedHeaders=([\w;-]+), Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    ) ?? []
  if (id === undefined || day === undefined) return error(403, 'AccessDenied')
  if (id !== s3Keys.id) return error(403, 'InvalidAccessKeyId')
  if (ofRegion !== region) return error(400, 'AuthorizationHeaderMalformed')
  const hash = String(headers['x-amz-content-sha256'])
  if (hash !== sha256(body)) return error(400, 'XAmzContentSHA256Mismatch')
  const query = [...url.searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .toSorted()
  const canonical = [
    method,
    url.pathname,
    query.join('&'),
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    hash,
  ].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = `AWS4-HMAC-SHA256\n${String(headers['x-amz-date'])}\n${scope}\n${sha256(canonical)}`
  const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${s3Keys.secret}`, day), region))
  return hmac(key, text).toString('hex') === signature ? null : error(403, 'SignatureDoesNotMatch')
}
