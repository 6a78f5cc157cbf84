import type { ChatVariant } from '#api/stream-chat.ts'

/** One side of a comparison: settings of the agent, or the draft with another model. */
export type Compared =
  | { readonly kind: 'draft' | 'published' }
  | { readonly kind: 'version'; readonly version: number }
  | { readonly kind: 'model'; readonly model: string }

/** Reads a side from the URL. The ids of models contain a slash. */
export function readCompared(text: string | undefined, otherwise: Compared): Compared {
  if (text === 'draft' || text === 'published') return { kind: text }
  if (text?.includes('/') === true) return { kind: 'model', model: text }
  const version = Number(/^v(\d{1,9})$/.exec(text ?? '')?.[1])
  return version >= 1 ? { kind: 'version', version } : otherwise
}

export function writeCompared(side: Compared): string {
  if (side.kind === 'version') return `v${side.version}`
  return side.kind === 'model' ? side.model : side.kind
}

/** @param published the number of the version that callers get */
export function variantOf(side: Compared, published: number): ChatVariant {
  switch (side.kind) {
    case 'draft':
      return { version: 'draft' }
    case 'published':
      return { version: published }
    case 'version':
      return { version: side.version }
    case 'model':
      return { version: 'draft', model: side.model }
  }
}
