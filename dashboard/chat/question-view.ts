import type { SentFile } from './api.ts'
import { fileCard } from './attachments.ts'
import { el } from './dom.ts'
import { textOf, type PageData } from './page-data.ts'

/** What the visitor has sent. */
export interface Question {
  readonly text: string
  readonly files: readonly SentFile[]
  /** The id of a stored question that is asked again: the page does not get its files back. */
  readonly again?: string
}

export const nothing: Question = { text: '', files: [] }

export function isEmpty({ text, files, again }: Question): boolean {
  return text === '' && files.length === 0 && again === undefined
}

/** Without its files, a question would be another one. */
export function draftOf({ text, again }: Question): string {
  return again === undefined ? text : ''
}

export function questionView(data: PageData, { text, files, again }: Question): HTMLElement {
  const label = el('span', { class: 'unseen' }, `${textOf(data, 'you')}: `)
  const words = text === '' ? null : el('p', { dir: 'auto' }, text)
  const shown = files.map((file) => fileCard(file, null))
  const note = textOf(data, 'attached')
  const before = again === undefined ? null : el('p', { class: 'attached' }, note)
  const list = shown.length === 0 ? null : el('div', { class: 'files' }, ...shown)
  return el('article', { class: 'question' }, label, list, before, words)
}
