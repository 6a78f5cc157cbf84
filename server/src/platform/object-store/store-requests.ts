import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsClient } from 'aws4fetch'
import { ObjectStoreError, type StoreSettings } from './object-store.ts'

export interface StoreRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  /** Empty for a request about the bucket. */
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

const tries = 4
const firstPauseMs = 250
const maxErrorBytes = 16 * 1024

/**
 * Sends signed requests about one bucket. It retries what the store cannot do at the moment: all
 * requests of this module may be repeated.
 *
 * @throws ObjectStoreError for every response that is not a success
 */
export function createStoreRequests(bucket: string, settings: StoreSettings) {
  const { accessKeyId, secretAccessKey, region, endpoint, timeoutMs } = settings
  const signer = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 })

  async function attempt({ method, key, query = {}, body }: StoreRequest): Promise<Response> {
    // Signed as it is sent: a plus sign must be encoded too.
    const path = [bucket, ...(key === '' ? [] : key.split('/'))].map(encodeURIComponent).join('/')
    const url = new URL(`${endpoint}/${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const request = await signer.sign(url, {
      method,
      // The store compares it with what it receives.
      headers: { 'x-amz-content-sha256': sha256(body ?? new Uint8Array()) },
      ...(body !== undefined && { body: new Uint8Array(body) }),
    })
    const tooLong = new AbortController()
    const timer = setTimeout(() => tooLong.abort(), timeoutMs)
    try {
      return await fetch(request, { signal: tooLong.signal, redirect: 'error' })
    } catch (error) {
      throw unreachable(endpoint, tooLong.signal.aborted ? 'it did not answer in time' : error)
    } finally {
      clearTimeout(timer)
    }
  }

  return async (request: StoreRequest): Promise<Response> => {
    for (let n = 1; ; n += 1) {
      const response = await attempt(request).catch((error: unknown) => {
        if (n === tries) throw error
        return null
      })
      if (response?.ok) return response
      const isPassing = response === null || response.status === 429 || response.status >= 500
      if (response !== null && (!isPassing || n === tries)) throw await refusal(bucket, response)
      await response?.body?.cancel()
      await sleep(firstPauseMs * 2 ** (n - 1))
    }
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function unreachable(endpoint: string, reason: unknown): ObjectStoreError {
  const cause = reason instanceof Error && reason.cause instanceof Error ? reason.cause : reason
  const words = cause instanceof Error ? cause.message : String(cause)
  return new ObjectStoreError(`the store at ${endpoint} cannot be reached: ${words}`, { cause })
}

/** Status and code of the store's answer; its message may quote a credential. */
async function refusal(bucket: string, response: Response): Promise<ObjectStoreError> {
  const text = (await response.text()).slice(0, maxErrorBytes)
  const [, code = ''] = /<Code>(\w+)<\/Code>/.exec(text) ?? []
  const fix = fixes[code] ?? fixes[response.status]
  const words = `the store answered ${response.status}${code === '' ? '' : ` ${code}`} for the bucket ${bucket}`
  return new ObjectStoreError(fix === undefined ? words : `${words}: ${fix}`, { code })
}

const fixes: Readonly<Record<string, string>> = {
  NoSuchBucket: 'create it',
  NoSuchKey: 'there is no such object',
  InvalidAccessKeyId: 'check S3_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'check S3_SECRET_ACCESS_KEY and S3_REGION',
  RequestTimeTooSkewed: 'set the clock of this machine',
  AuthorizationHeaderMalformed: 'check S3_REGION',
  AccessDenied: 'let the key list, read, write and delete objects there',
  403: 'check S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY and what the key may do',
}
