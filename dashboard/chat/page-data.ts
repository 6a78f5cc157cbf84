import { byId } from './dom.ts'

/** The words of the visitor's language; the server chooses it. */
export type Texts = Readonly<Record<string, string>>

export interface Attachable {
  readonly images: boolean
  /** Endings of names, without the dot. */
  readonly documents: readonly string[]
  /** For one message. */
  readonly most: number
  /** Of all files of a message together. */
  readonly bytes: number
}

export interface PageData {
  /** The address of the page, without a trailing slash. */
  readonly base: string
  /** Absent in a frame: the page that embeds it brings the visit. */
  readonly token?: string
  /** Milliseconds until the token ends. */
  readonly endsIn?: number
  readonly paused: boolean
  /** Whether the dashboard shows the page to its editors. */
  readonly preview?: boolean
  /** The longest message. */
  readonly characters: number
  /** What can be attached; null for nothing. */
  readonly files: Attachable | null
  /** The path of the document that can be installed; null within it, and in other frames. */
  readonly app: string | null
  readonly texts: Texts
  readonly language: string
  readonly name: string
  readonly greeting: string
}

/** What the server has written into the page. */
export function readPageData(): PageData {
  // Only the server writes this element, as JSON of this form.
  return JSON.parse(byId('data').textContent) as PageData
}

/** A text with its `{…}` filled in. */
export function textOf(
  { texts }: PageData,
  key: string,
  values: Readonly<Record<string, string | number>> = {},
): string {
  return (texts[key] ?? key).replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
}
