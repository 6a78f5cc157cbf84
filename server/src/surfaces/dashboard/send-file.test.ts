import { expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { addFileSource, addTextSource, addUrlSource } from '#features/ingestion/index.ts'
import { makePdf } from '#test/support/knowledge/sample-documents.ts'
import { baseUrl, describeSignIn } from '#test/support/identity/sign-in-service.ts'

describeSignIn('the file of a source', (open) => {
  test('is downloaded as it was uploaded, and never shown by the browser', async () => {
    const { app, ctx, ada, signedIn } = await open()
    const { cookies } = await signedIn()
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const download = (id: string) =>
      app.request(`${baseUrl}/api/dashboard/sources/${id}/file`, { headers: { cookie } })
    const { id: appId } = await createAgent(ctx, ada, { name: 'Helper' })
    const page = '<script>alert(1)</script><p>We sell tea.</p>'
    const filename = "Über 'uns'.html"
    const upload = { appId, filename, bytes: [Buffer.from(page)] }
    const file = await addFileSource(ctx, ada.workspaceId, upload)
    const response = await download(file.id)
    expect(response.headers.get('content-type')).toBe('application/octet-stream')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('content-disposition')).toBe(
      "attachment; filename*=UTF-8''%C3%9Cber%20%27uns%27.html",
    )
    expect(await response.text()).toBe(page)
    const text = { appId, title: 'Tea', text: '# Tea\n\n\nWe sell tea.' }
    const { id } = await addTextSource(ctx, ada.workspaceId, text)
    expect(await (await download(id)).text()).toBe(text.text)
    const crawl = { depth: 0, maxPages: 1, include: [], exclude: [], title: null }
    const address = { kind: 'url', url: 'https://example.com/', refreshEvery: null } as const
    const pages = await addUrlSource(ctx, ada.workspaceId, { appId, crawl, ...address })
    expect((await download(pages.id)).status).toBe(404)
  })

  test('is shown by the browser’s viewer if it is a PDF, and never as a page', async () => {
    const { app, ctx, ada, signedIn } = await open()
    const { cookies } = await signedIn()
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const show = (id: string, headers: Record<string, string> = { cookie }) =>
      app.request(`${baseUrl}/api/dashboard/sources/${id}/pdf`, { headers })
    const { id: appId } = await createAgent(ctx, ada, { name: 'Helper' })
    const add = async (filename: string, content: Buffer) =>
      (await addFileSource(ctx, ada.workspaceId, { appId, filename, bytes: [content] })).id
    const pdf = makePdf(['One', 'Two'])
    const response = await show(await add('guide.pdf', pdf))
    expect(response.headers.get('content-type')).toBe('application/pdf')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('content-security-policy')).toMatch(/\bsandbox allow-scripts$/)
    expect(response.headers.get('content-security-policy')).not.toContain('allow-same-origin')
    expect(response.headers.get('content-disposition')).toMatch(/^inline; /)
    expect(Buffer.from(await response.arrayBuffer()).equals(pdf)).toBe(true)
    const html = await add('evil.pdf', Buffer.from('<script>alert(1)</script> %PDF-1.4'))
    expect((await show(html)).status).toBe(404)
    expect((await show(await add('more.pdf', pdf), {})).status).toBe(401)
  })
})
