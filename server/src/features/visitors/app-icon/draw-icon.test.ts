import { PNG } from 'pngjs'
import { afterEach, expect, test, vi } from 'vitest'
import { hostileLogos } from '#test/support/hostile-logos.ts'
import { drawIcon, type AppIcon } from './draw-icon.ts'

const icon: AppIcon = { size: 180, ground: '#3d4ed6', ink: '#ffffff', name: 'Tea shop', logo: '' }
const blue = [0x3d, 0x4e, 0xd6]
const white = [255, 255, 255]

afterEach(() => vi.restoreAllMocks())

/** The colours of an icon, by places from 0 to 1. */
async function drawn(change: Partial<AppIcon>) {
  const png = PNG.sync.read(await drawIcon({ ...icon, ...change }))
  expect(png.data.every((value, at) => at % 4 !== 3 || value === 255)).toBe(true)
  return {
    size: [png.width, png.height],
    at: (x: number, y: number) => {
      const place = (Math.floor(y * png.height) * png.width + Math.floor(x * png.width)) * 4
      return [...png.data.subarray(place, place + 3)]
    },
  }
}

/** A PNG of one colour as an editor may upload it. */
function logo(width: number, height: number, rgba: readonly number[]): string {
  const png = new PNG({ width, height })
  for (let at = 0; at < png.data.length; at += 1) png.data[at] = rgba[at % 4] ?? 0
  return `data:image/png;base64,${PNG.sync.write(png).toString('base64')}`
}

test.each([180, 192, 512])('an icon of %i pixels shows the first letter', async (size) => {
  const found = await drawn({ size })
  expect(found.size).toEqual([size, size])
  expect(found.at(0.01, 0.01)).toEqual(blue)
  // The bar of the T and its stem, and neither below the bar.
  expect(found.at(0.36, 0.27)).toEqual(white)
  expect(found.at(0.5, 0.7)).toEqual(white)
  expect(found.at(0.36, 0.5)).toEqual(blue)
})

test('a letter with an accent is drawn without it, and one of another script as a bubble', async () => {
  const [accent, plain, other, digit] = await Promise.all(
    ['É', 'e', '茶', '1'].map((name) => drawIcon({ ...icon, name })),
  )
  expect(accent).toEqual(plain)
  expect(other).not.toEqual(digit)
  for (const name of ['茶', '']) {
    const bubble = await drawn({ name })
    expect([bubble.at(0.5, 0.28), bubble.at(0.5, 0.4)]).toEqual([white, blue])
  }
})

test('a logo is fitted on white, also where it is transparent', async () => {
  const wide = await drawn({ logo: logo(200, 50, [11, 110, 79, 255]) })
  expect(wide.at(0.15, 0.5)).toEqual([11, 110, 79])
  expect(wide.at(0.85, 0.5)).toEqual([11, 110, 79])
  expect(wide.at(0.5, 0.3)).toEqual(white)
  expect(wide.at(0.05, 0.5)).toEqual(white)
  const half = await drawn({ logo: logo(4, 4, [0, 0, 0, 128]) })
  expect(half.at(0.5, 0.5)).toEqual([127, 127, 127])
})

test('a logo that cannot be drawn leaves the letter', async () => {
  const letter = await drawIcon(icon)
  const cut = Buffer.from(logo(8, 8, [1, 2, 3, 255]).slice(22), 'base64').subarray(0, 40)
  const logos = [
    logo(257, 1, [1, 2, 3, 255]),
    'data:image/jpeg;base64,/9j/',
    'data:image/png;base64,AAAA',
    `data:image/png;base64,${cut.toString('base64')}`,
  ]
  for (const one of logos) expect(await drawIcon({ ...icon, logo: one })).toEqual(letter)
})

test.each(Object.entries(hostileLogos))(
  'a logo that would take long to decode leaves the letter: %s',
  async (_, hostile) => {
    const letter = await drawIcon(icon)
    const read = vi.spyOn(PNG.sync, 'read')
    expect(await drawIcon({ ...icon, logo: hostile })).toEqual(letter)
    expect(read).not.toHaveBeenCalled()
  },
)
