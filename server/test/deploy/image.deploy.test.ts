import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '#test/support/until.ts'
import { absenceOf } from './tools.ts'
import { ImageStore, type Container } from './image.ts'

const MB = 1_000_000

describe.skipIf(absenceOf(['buildah', 'podman', 'runc', 'debootstrap']) !== null)(
  'the image',
  () => {
    let store: ImageStore
    let container: Container
    let answer: Response
    let answeredMs: number

    beforeAll(async () => {
      store = await ImageStore.create()
      await store.createBases()
      await store.build()
      const since = performance.now()
      container = await store.start()
      answer = await askGuide(container)
      answeredMs = performance.now() - since
    })

    afterAll(async () => {
      await container.stop()
      await store.remove()
    })

    test('is at most 350 MB', async () => {
      const { whole, base } = await store.sizes()
      process.stdout.write(
        `image: ${Math.round(whole / MB)} MB, of which the base ${Math.round(base / MB)}\n`,
      )
      expect(whole).toBeLessThanOrEqual(350 * MB)
    })

    test('runs as a user who is not root, on the pinned Node, and has no other', async () => {
      expect(await store.inspect('{{.Config.User}}')).toBe('10001:10001')
      expect(await container.exec('/opt/parley/bin/node', '--version')).toMatch(/^v26\./)
      const others = await container.exec(
        'sh',
        '-c',
        'find / -xdev -type f -name node -size +1M 2>/dev/null || :',
      )
      expect(others.trim()).toBe('/opt/parley/bin/node')
    })

    test('contains nothing of deploy/ but what runs, and so no secrets of compose.yaml', async () => {
      const files = await container.exec('ls', '-A', '/opt/parley/deploy')
      expect(files.trim().split('\n')).toEqual(['check-health.mjs', 'fill-compile-cache.mjs'])
    })

    test('starts with a root file system that cannot be written, from compiled code', async () => {
      process.stdout.write(`image: ready in ${Math.round(container.readyMs)} ms\n`)
      const attempt = container.exec('touch', '/opt/parley/file')
      await expect(attempt).rejects.toThrow('Read-only file system')
      const cache = '/opt/parley/node_modules/.cache/parley'
      const compiled = await container.exec('sh', '-c', `find ${cache} -type f | wc -l`)
      expect(Number(compiled)).toBeGreaterThan(300)
      expect(container.output).not.toContain('"level":"error"')
    })

    test('serves the dashboard, the documentation and an answer of the demo agent', async () => {
      const page = await (await fetch(`${container.origin}/login`)).text()
      expect(page).toContain('Sign in')
      const dashboard = '/opt/parley/dashboard/dist/index.html'
      expect(await container.exec('cat', dashboard)).toContain('id="root"')
      const guide = await fetch(`${container.origin}/docs/sessions.md`)
      expect(guide.status).toBe(200)
      process.stdout.write(`image: first answer after ${Math.round(answeredMs)} ms\n`)
      expect(answer.status).toBe(200)
      expect(await answer.text()).toContain('chatSessionId')
    })

    test('reports its health and answers commands', async () => {
      await container.exec('/opt/parley/bin/node', '/opt/parley/deploy/check-health.mjs')
      expect(await container.exec('parley', 'doctor')).toContain('database')
    })

    test('stops on SIGTERM with exit code 0', async () => {
      expect(await container.stop()).toBe(0)
    })
  },
)

/** With the key of the first start, as a new user does. */
async function askGuide(container: Container): Promise<Response> {
  const keyOf = () => /Bearer (svc_ck_\w+)/.exec(container.output)?.[1]
  await until('the log shows the chat key', () => keyOf() !== undefined)
  return await fetch(`${container.origin}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keyOf()}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'parley-guide-10001',
      messages: [{ role: 'user', content: 'How do I continue a conversation?' }],
    }),
  })
}
