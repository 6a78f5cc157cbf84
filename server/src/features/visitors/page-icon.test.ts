import { expect, test, vi } from 'vitest'
import { defaultPageSettings } from './chat-page-settings.ts'
import { appIcon } from './page-icon.ts'

const { drawIcon } = vi.hoisted(() => ({ drawIcon: vi.fn() }))
vi.mock('./app-icon/draw-icon.ts', () => ({ drawIcon }))

const icon = async (workspaceId: string, name: string) =>
  await appIcon({ workspaceId, settings: defaultPageSettings }, name, 180)

test('a workspace with many pages has only its own icons drawn again', async () => {
  drawIcon.mockResolvedValue(Buffer.from('png'))
  for (let n = 0; n < 3; n += 1) await icon('small', `${n}`)
  for (let n = 0; n < 200; n += 1) await icon('large', `${n}`)
  drawIcon.mockClear()
  for (let n = 0; n < 3; n += 1) await icon('small', `${n}`)
  await icon('large', '199')
  expect(drawIcon).not.toHaveBeenCalled()
  await icon('large', '0')
  expect(drawIcon).toHaveBeenCalledOnce()
})

test('an icon that could not be drawn is drawn with the next request', async () => {
  drawIcon.mockRejectedValueOnce(new Error('out of memory'))
  await expect(icon('a', 'failing')).rejects.toThrow('out of memory')
  drawIcon.mockResolvedValue(Buffer.from('png'))
  expect(await icon('a', 'failing')).toEqual(Buffer.from('png'))
})
