const opening = new EventTarget()

export function openPalette(): void {
  opening.dispatchEvent(new Event('open'))
}

/** @returns what ends the listening */
export function onOpenPalette(listener: () => void): () => void {
  opening.addEventListener('open', listener)
  return () => opening.removeEventListener('open', listener)
}
