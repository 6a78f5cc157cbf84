import { icons } from '@iconify-json/lucide'
import type { Plugin } from 'vite'

const prefix = 'icon:'

/**
 * Turns `import { Icon } from 'icon:trash-2'` into a React component that draws that Lucide icon. Each
 * icon is its own module, so a page loads only the icons it shows.
 */
export function lucideIcons(): Plugin {
  return {
    name: 'lucide-icons',
    resolveId: (id) => (id.startsWith(prefix) ? `\0${id}.jsx` : null),
    load(id) {
      if (!id.startsWith(`\0${prefix}`)) return null
      const name = id.slice(prefix.length + 1, -'.jsx'.length)
      return {
        code: `import { SvgIcon } from '#ui/svg-icon.tsx'
export function Icon(props) { return <SvgIcon {...props}>${shapesOf(name)}</SvgIcon> }`,
        moduleSideEffects: false,
      }
    },
  }
}

/** The shapes as JSX, without the presentation attributes that `SvgIcon` sets for all of them. */
function shapesOf(name: string): string {
  const found = icons.icons[icons.aliases?.[name]?.parent ?? name]
  if (found === undefined) throw new Error(`Lucide has no icon named ${name}`)
  return found.body
    .replaceAll(/ (?:fill="none"|stroke="currentColor"|stroke-[a-z]+="(?:round|2)")/g, '')
    .replaceAll(/-([a-z])(?=[a-z-]*=")/g, (_, letter: string) => letter.toUpperCase())
}
