const opening = new EventTarget()

export function openPalette(): void {
  opening.dispatchEvent(new Event('open'))
}

/** @returns what ends the listening */
export function onOpenPalette(listener: () => void): () => void {
  opening.addEventListener('open', listener)
  return () => opening.removeEventListener('open', listener)
}

const isApple = /Mac|iPhone|iPad/.test(navigator.platform)

/** As printed on the keys of the reader's keyboard. */
export const paletteKeys = isApple ? '⌘K' : 'Ctrl K'
