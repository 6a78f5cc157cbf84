import { beforeAll, expect, test } from 'vitest'
import { describeVisitors, type VisitorService } from '#test/support/chat/visitor-service.ts'

describeVisitors('a message with megabytes of files', (open) => {
  let service: VisitorService

  beforeAll(async () => {
    service = await open({
      page: { visitor_files: true },
      environment: { VISITOR_RATE_LIMIT: '1' },
    })
  })

  /** @returns the status, and how much of the body was read */
  async function send(token: string): Promise<readonly [status: number, bytes: number]> {
    let bytes = 0
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          bytes += 100_000
          controller.enqueue(new Uint8Array(100_000).fill(32))
          if (bytes > 2_000_000) controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const init: RequestInit & { readonly duplex: 'half' } = {
      method: 'POST',
      headers: {
        origin: 'null',
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      },
      body,
      duplex: 'half',
    }
    const response = await service.request(`${service.path}/messages`, init)
    return [response.status, bytes]
  }

  test('is not read while the page is paused, nor above the limits of the visitor', async () => {
    const { token } = await service.visit()
    await service.change({ paused: true })
    expect(await send(token)).toEqual([503, 0])
    await service.change({ paused: false })
    expect((await service.ask(token, '/messages', { text: 'hello' })).status).toBe(200)
    expect(await send(token)).toEqual([429, 0])
    const [status, bytes] = await send((await service.visit()).token)
    expect(status).toBe(400)
    expect(bytes).toBeGreaterThan(2_000_000)
  })
})
