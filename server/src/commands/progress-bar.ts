import type { Output } from './command.ts'

export interface ProgressBar {
  /** @param part from 0 to 1 */
  show(stage: string, part: number): void
  /** Removes it from the screen. */
  clear(): void
}

const width = 30
const redrawMs = 80

/** One line that is redrawn in place; writes nothing unless the output is a terminal. */
export function createProgressBar(output: Output & { readonly isTTY?: boolean }, name: string) {
  let drawnAt = -redrawMs
  const bar: ProgressBar = {
    show(stage, part) {
      const now = performance.now()
      if (output.isTTY !== true || now - drawnAt < redrawMs) return
      drawnAt = now
      const share = Math.min(1, Math.max(0, part))
      const full = Math.round(share * width)
      const drawn = `${'█'.repeat(full)}${'░'.repeat(width - full)}`
      output.write(`\r\u001b[K${name} ${drawn} ${Math.floor(share * 100)} % ${stage}`)
    },
    clear() {
      if (output.isTTY === true) output.write('\r\u001b[K')
    },
  }
  return bar
}
