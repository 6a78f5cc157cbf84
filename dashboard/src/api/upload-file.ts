import { basePath } from './base-path.ts'
import type { OutputOf } from './call-operation.ts'
import { errorFrom, OperationError } from './operation-error.ts'
import { toSignIn } from './send.ts'

export interface FileUpload {
  readonly appId: string
  readonly file: File
  readonly title?: string
  /** The fraction that is uploaded, from 0 to 1. */
  onProgress?(part: number): void
  readonly signal?: AbortSignal
}

/**
 * Uploads a file to an agent's knowledge as raw bytes, which the service stores as they arrive. Uses
 * XMLHttpRequest because fetch reports no upload progress. An expired sign-in opens the sign-in page.
 *
 * @throws OperationError
 */
export async function uploadFile(upload: FileUpload): Promise<OutputOf<'get_knowledge_source'>> {
  const { appId, file, title, onProgress, signal } = upload
  const query = new URLSearchParams({ filename: file.name, ...(title ? { title } : {}) })
  const path = `/api/dashboard/agents/${encodeURIComponent(appId)}/files?${query}`
  const { promise, resolve, reject } = Promise.withResolvers<OutputOf<'get_knowledge_source'>>()
  const request = new XMLHttpRequest()
  request.open('POST', basePath + path)
  request.responseType = 'json'
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    if (total > 0) onProgress?.(loaded / total)
  })
  request.addEventListener('load', () => {
    if (request.status < 300) return resolve(request.response)
    if (request.status === 401) toSignIn()
    reject(errorFrom(request.status, request.response))
  })
  request.addEventListener('error', () =>
    reject(new OperationError('offline', { code: 'offline', status: 0 })),
  )
  request.addEventListener('abort', () => reject(signal?.reason ?? new Error('aborted')))
  signal?.addEventListener('abort', () => request.abort(), { once: true })
  request.send(file)
  return await promise
}
