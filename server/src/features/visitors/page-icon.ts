import { bestOn } from './contrast.ts'
import type { OpenPage } from './open-page.ts'

export const iconSizes = [180, 192, 512] as const
export type IconSize = (typeof iconSizes)[number]

interface Drawn {
  readonly workspaceId: string
  readonly icon: Promise<Buffer>
}

/** What was drawn last, the oldest first. An icon of a logo has up to 400 kB, one of a letter 10 kB. */
const drawn = new Map<string, Drawn>()
const mostDrawn = 60

/** The icon of a page as PNG, because iOS shows no SVG. */
export async function appIcon(
  { workspaceId, settings: { logo, color } }: Pick<OpenPage, 'workspaceId' | 'settings'>,
  name: string,
  size: IconSize,
): Promise<Buffer> {
  const key = JSON.stringify([workspaceId, size, color, logo, name])
  const known = drawn.get(key) ?? { workspaceId, icon: draw(size, color, logo, name) }
  drawn.delete(key)
  drawn.set(key, known)
  if (drawn.size > mostDrawn) drawn.delete(oldestOfMost())
  try {
    return await known.icon
  } catch (error) {
    // The next request tries again.
    if (drawn.get(key) === known) drawn.delete(key)
    throw error
  }
}

/** The oldest icon of the workspace with the most: its pages make those of no other be drawn again. */
function oldestOfMost(): string {
  const counts = new Map<string, number>()
  for (const { workspaceId } of drawn.values())
    counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1)
  const most = Math.max(...counts.values())
  const [oldest = ''] =
    [...drawn].find(([, { workspaceId }]) => counts.get(workspaceId) === most) ?? []
  return oldest
}

/** Loaded with the first icon: most processes draw none. */
async function draw(size: IconSize, color: string, logo: string, name: string): Promise<Buffer> {
  const { drawIcon } = await import('./app-icon/draw-icon.ts')
  return await drawIcon({ size, ground: color, ink: bestOn(color), name, logo })
}
