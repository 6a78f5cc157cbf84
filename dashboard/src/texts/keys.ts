const isApple = /Mac|iPhone|iPad/.test(navigator.platform)

/** A shortcut as printed on the keys of the reader's keyboard. */
export function shortcut(letter: string): string {
  return isApple ? `⌘${letter}` : `Ctrl ${letter}`
}
