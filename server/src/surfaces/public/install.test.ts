import { PNG } from 'pngjs'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { endVisits, getChatPage, updateChatPage } from '#features/visitors/index.ts'
import { describeVisitors, type VisitorService } from '#test/support/chat/visitor-service.ts'

const attack = '</title><script>alert(1)</script>'

describeVisitors('a chat page as an app', (open) => {
  let service: VisitorService

  beforeAll(async () => {
    service = await open()
  })
  beforeEach(() => service.change({ access: 'public', title: 'Shop help', logo: '' }))

  const get = (path: string, cookie = '') =>
    service.request(service.path + path, { headers: { cookie } })

  test('is a document with one script of its own, which frames the page in its own origin', async () => {
    const response = await get('/app')
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; style-src 'nonce-")
    expect(policy).toContain("frame-ancestors 'none'")
    const nonce = /script-src 'nonce-([\w-]{20,})'(?:;|$)/.exec(policy)?.[1] ?? ''
    const html = await response.text()
    expect(html.match(/<script/g)).toHaveLength(1)
    expect(html).toContain(`<script nonce="${nonce}">`)
    expect((await get('/app')).headers.get('content-security-policy')).not.toContain(nonce)
    expect(html).toMatch(/<iframe\s+src="[^"]+\?app"\s+sandbox="(?![^"]*allow-same-origin)/)
    const framed = await get('?app')
    expect(framed.headers.get('content-security-policy')).toContain("frame-ancestors 'self'")
    expect(framed.headers.get('content-security-policy')).toMatch(/sandbox (?!.*same-origin)/)
  })

  test('has a manifest with the name, the colours and an icon', async () => {
    const response = await get('/app.webmanifest')
    expect(response.headers.get('content-type')).toContain('application/manifest+json')
    expect(await response.json()).toMatchObject({
      id: service.path,
      name: 'Shop help',
      start_url: `${service.path}/app`,
      scope: `${service.path}/`,
      display: 'standalone',
      icons: [
        { src: `${service.path}/icon-180.png`, sizes: '180x180' },
        { src: `${service.path}/icon-192.png`, sizes: '192x192' },
        { src: `${service.path}/icon-512.png`, sizes: '512x512' },
        { src: `${service.path}/icon.svg`, sizes: 'any' },
      ],
    })
    const icon = await get('/icon.svg')
    expect(await icon.text()).toContain('>S</text')
    expect(icon.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox$/)
  })

  test('has its icon in the tab, unless it is for some people only', async () => {
    const iconOf = async (query = '') =>
      /<link rel="icon" href="([^"]*)"/.exec(await (await get(query)).text())?.[1]
    const icon = `${service.path}/icon.svg`
    expect(await iconOf()).toBe(icon)
    const { headers } = await service.request(icon)
    expect(headers.get('content-type')).toContain('image/svg+xml')
    await service.change({ access: 'link' })
    const { ctx, owner, agent } = service
    const { linkToken } = await getChatPage(ctx, owner.workspaceId, agent.id)
    // No browser then asks for /favicon.ico.
    for (const query of ['', `?k=${linkToken}`]) expect(await iconOf(query)).toBe('data:,')
  })

  test('has icons as PNG for systems that show no SVG, which follow the settings', async () => {
    expect(await (await get('/app')).text()).toContain(
      `<link rel="apple-touch-icon" href="${service.path}/icon-180.png" />`,
    )
    for (const size of [180, 192, 512]) {
      const response = await get(`/icon-${size}.png`)
      expect(response.headers.get('content-type')).toBe('image/png')
      const { width, height } = PNG.sync.read(Buffer.from(await response.arrayBuffer()))
      expect([width, height]).toEqual([size, size])
    }
    const colourOf = async () => {
      const response = await get('/icon-180.png')
      return [...PNG.sync.read(Buffer.from(await response.arrayBuffer())).data.subarray(0, 3)]
    }
    await service.change({ color: '#0b6e4f' })
    expect(await colourOf()).toEqual([11, 110, 79])
    await service.change({ color: '#aa0000' })
    expect(await colourOf()).toEqual([170, 0, 0])
    expect((await get('/icon-181.png')).status).toBe(404)
  })

  test('contains no markup of an editor, also in its icon', async () => {
    await service.change({ title: attack })
    for (const path of ['/app', '/icon.svg'])
      expect(await (await get(path)).text()).not.toContain('<script>')
    expect(await (await get('/app.webmanifest')).json()).toMatchObject({ name: attack })
    const evil = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    )
    await service.change({ logo: `data:image/svg+xml;base64,${evil.toString('base64')}` })
    expect(await (await get('/icon.svg')).text()).toContain('<image ')
  })

  test('says nothing about a page that the visitor may not open', async () => {
    const { ctx, owner, agent } = service
    for (const access of ['link', 'members'] as const) {
      await service.change({ access })
      const paths = ['/app', '/app.webmanifest', '/icon.svg', '/icon-180.png', '/icon-512.png']
      for (const path of paths) {
        const response = await get(path)
        expect([path, response.status]).toEqual([path, path === '/app' ? 303 : 404])
        expect(await response.text()).not.toContain('Shop help')
      }
      expect(await (await get('')).text()).not.toContain('Shop help')
    }
    await service.change({ access: 'link' })
    const { linkToken } = await getChatPage(ctx, owner.workspaceId, agent.id)
    const { cookie } = await service.visit('', `?k=${linkToken}`)
    expect((await get('/app.webmanifest', cookie)).status).toBe(200)
    await endVisits(ctx, owner.workspaceId, agent.id)
    expect((await get('/app.webmanifest', cookie)).status).toBe(404)
  })

  test('keeps its identity when the slug changes', async () => {
    const { ctx, owner, agent } = service
    await updateChatPage(ctx, owner.workspaceId, agent.id, { slug: 'shop-help' })
    const manifest = await (await service.request('/chat/shop-help/app.webmanifest')).json()
    expect(manifest).toMatchObject({ id: service.path, start_url: '/chat/shop-help/app' })
    await updateChatPage(ctx, owner.workspaceId, agent.id, { slug: '' })
  })
})
