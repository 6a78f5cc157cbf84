import { Fault } from '#kernel/fault.ts'
import { isNamed } from '#kernel/named-error.ts'
import type { Context } from '#platform/context.ts'
import type { OutboundResponse } from '#platform/outbound-http/outbound.ts'
import { fileFaults as faults } from './file-faults.ts'
import type { ImageContent } from './file-part.ts'
import { base64Length, imageContent } from './image-content.ts'

/** For the request, its redirects and the body. */
const fetchMs = 15_000

type FetchContext = Pick<Context, 'config' | 'outbound'>

/** A file at an address that the caller chose. @throws Fault file_unreachable, file_too_large */
export async function fetchFile(
  ctx: FetchContext,
  at: string,
  url: string,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const limitBytes = ctx.config.maxChatFileBytes
  const tooLarge = (cause: unknown) =>
    new Fault(faults.file_too_large, { at, limitBytes }, { cause })
  return await fetchBounded(ctx, at, url, { maxBytes: limitBytes, tooLarge, signal })
}

/**
 * An image at an address, as if it had been sent within the request.
 *
 * @param left how much base64 the images of the request may still have
 * @throws Fault file_unreachable, image_unreadable, images_too_large
 */
export async function fetchImage(
  ctx: FetchContext,
  at: string,
  url: string,
  { left, signal }: { readonly left: number; readonly signal: AbortSignal },
): Promise<ImageContent> {
  const { maxBodyBytes: limitBytes, maxChatFileBytes } = ctx.config
  const tooLarge = (cause?: unknown) =>
    new Fault(faults.images_too_large, { at, limitBytes }, { cause })
  const maxBytes = Math.min(Math.floor(left / 4) * 3, maxChatFileBytes)
  const httpsOnly = true
  const { body } = await fetchBounded(ctx, at, url, { maxBytes, httpsOnly, tooLarge, signal })
  if (base64Length(body.length) > left) throw tooLarge()
  return imageContent(body, at)
}

interface Bounds {
  readonly maxBytes: number
  readonly httpsOnly?: boolean
  readonly tooLarge: (cause: unknown) => Fault
  readonly signal: AbortSignal
}

async function fetchBounded(
  { outbound }: FetchContext,
  at: string,
  url: string,
  { tooLarge, ...bounds }: Bounds,
): Promise<OutboundResponse> {
  try {
    const response = await outbound.request(url, { ...bounds, timeoutMs: fetchMs })
    if (response.status !== 200) throw new Fault(faults.file_unreachable, { at })
    return response
  } catch (error) {
    if (!isNamed<Error & { reason: string }>(error, 'OutboundRefused')) throw error
    if (error.reason === 'too_large') throw tooLarge(error)
    throw new Fault(faults.file_unreachable, { at }, { cause: error })
  }
}
