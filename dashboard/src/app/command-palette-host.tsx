import { lazy, Suspense, useEffect, useState } from 'react'
import { onOpenPalette } from './open-palette.ts'

/** Loaded when it is first opened. */
const CommandPalette = lazy(async () => ({
  default: (await import('./command-palette.tsx')).CommandPalette,
}))

/** Opens the command palette with Ctrl K, with ⌘K, and with the button of the sidebar. */
export function CommandPaletteHost() {
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => onOpenPalette(() => setIsOpen(true)), [])
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      const isShortcut = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
      if (!isShortcut || event.key.toLowerCase() !== 'k') return
      event.preventDefault()
      setIsOpen((before) => !before)
    }
    globalThis.addEventListener('keydown', onKey)
    return () => globalThis.removeEventListener('keydown', onKey)
  }, [])
  if (!isOpen) return null
  return (
    <Suspense>
      <CommandPalette onClose={() => setIsOpen(false)} />
    </Suspense>
  )
}
