import { bestOn } from './contrast.ts'
import type { OpenPage } from './open-page.ts'

export const iconSizes = [180, 192, 512] as const
export type IconSize = (typeof iconSizes)[number]

/** What was drawn last. An icon of a logo has up to 400 kB, one of a letter 10 kB. */
const drawn = new Map<string, Promise<Buffer>>()
const mostDrawn = 60

/** The icon of a page as PNG, because iOS shows no SVG. */
export async function appIcon(
  { settings: { logo, color } }: Pick<OpenPage, 'settings'>,
  name: string,
  size: IconSize,
): Promise<Buffer> {
  const key = JSON.stringify([size, color, logo, name])
  const known = drawn.get(key) ?? draw(size, color, logo, name)
  drawn.delete(key)
  drawn.set(key, known)
  const [oldest] = drawn.size > mostDrawn ? drawn.keys() : []
  if (oldest !== undefined) drawn.delete(oldest)
  return await known
}

/** Loaded with the first icon: most processes draw none. */
async function draw(size: IconSize, color: string, logo: string, name: string): Promise<Buffer> {
  const { drawIcon } = await import('./app-icon/draw-icon.ts')
  return await drawIcon({ size, ground: color, ink: bestOn(color), name, logo })
}
