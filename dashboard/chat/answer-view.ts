import type { Awaiting, Citation } from './api.ts'
import { byId, el } from './dom.ts'
import { drawMarkdown, linkTo } from './draw-markdown.ts'
import { textOf, type PageData } from './page-data.ts'
import { RatedActions, type AnswerActions } from './rated-actions.ts'
import { withoutQuestion } from './without-question.ts'

/** What ends a line of a text that is read out. */
const blocks = 'p, li, h3, h4, pre, tr, td, th, br, blockquote'

/** How often a growing answer is drawn. */
const drawEveryMs = 60

/** An answer on the page, from its first word to its sources. */
export class AnswerView {
  readonly element = el('article', { class: 'answer' })
  readonly #body = el('div', { class: 'text' })
  readonly #data: PageData
  #text = ''
  #citations: readonly Citation[] = []
  #drawing: ReturnType<typeof setTimeout> | null = null

  constructor(data: PageData) {
    this.#data = data
    const dots = el('span', { class: 'dots', 'aria-hidden': 'true' }, el('i'), el('i'), el('i'))
    this.#body.append(dots)
    this.element.append(this.#body)
  }

  get text(): string {
    return this.#text
  }

  /** What a screen reader says: the words that are shown, and the title of a card. */
  get spoken(): string {
    const copy = this.#body.cloneNode(true) as HTMLElement
    for (const mark of copy.querySelectorAll('.cite')) mark.remove()
    for (const block of copy.querySelectorAll(blocks)) block.after('\n')
    const words = copy.textContent.replaceAll(/\s*\n\s*/g, '\n').trim()
    const card = this.element.querySelector('.card h2')
    return card === null ? words : `${words}\n${card.textContent}`.trim()
  }

  add(text: string): void {
    this.#text += text
    this.#drawing ??= setTimeout(() => this.#draw(), drawEveryMs)
  }

  /**
   * Says why the answer does not begin yet. Its first words replace this.
   *
   * @param open what the visitor must do first
   */
  wait(reason: string, open?: () => void): void {
    const label = textOf(this.#data, 'captchaOpen')
    const button =
      open && el('button', { type: 'button', class: 'primary', onclick: () => open() }, label)
    this.#body.querySelector('.waiting')?.remove()
    this.#body.append(el('div', { class: 'waiting' }, el('p', {}, reason), button ?? null))
  }

  /** Shows the complete answer. */
  finish(text: string, citations: readonly Citation[]): void {
    this.#text = text
    this.#citations = citations
    this.#draw()
    if (citations.length > 0) this.element.append(this.#sources())
  }

  /**
   * Replaces an empty answer, or follows an incomplete one.
   *
   * @param way what the visitor can do about it
   */
  note(text: string, way?: { readonly label: string; start(): void }): void {
    if (this.#text === '') this.#body.replaceChildren()
    this.element.append(el('p', { class: 'notice' }, text))
    if (way === undefined) return
    const onclick = () => way.start()
    const button = el('button', { type: 'button', class: 'primary', onclick }, way.label)
    this.element.append(el('p', {}, button))
  }

  /** The buttons below a complete answer. */
  offer(actions: AnswerActions, rated: 'up' | 'down' | null): void {
    this.element.append(new RatedActions(this.#data, () => this.#text, actions, rated).element)
  }

  /** A card for actions that wait for consent. It takes the place of the question in the answer. */
  ask(waiting: readonly Awaiting[], actions: AnswerActions): void {
    if (waiting.length === 0) return
    this.#text = withoutQuestion(this.#text)
    this.#draw()
    const t = (key: string) => textOf(this.#data, key)
    const card = el(
      'section',
      { class: 'card', 'aria-label': t('confirmTitle') },
      el('h2', {}, t('confirmTitle')),
    )
    for (const { title, arguments: given } of waiting) {
      const facts = Object.entries(given).flatMap(([name, value]) => [
        el('dt', {}, name),
        el('dd', { dir: 'auto' }, typeof value === 'string' ? value : JSON.stringify(value)),
      ])
      card.append(el('p', { class: 'what', dir: 'auto' }, title), el('dl', {}, ...facts))
    }
    const decide = (text: string) => () => {
      card.remove()
      // Not the field, which would open the keyboard of a phone.
      byId('log').focus()
      actions.decide(text)
    }
    const yes = el(
      'button',
      { type: 'button', class: 'primary', onclick: decide(t('yes')) },
      t('confirm'),
    )
    const no = el('button', { type: 'button', onclick: decide(t('no')) }, t('decline'))
    card.append(el('div', { class: 'row' }, yes, no))
    this.element.append(card)
  }

  #draw(): void {
    if (this.#drawing !== null) clearTimeout(this.#drawing)
    this.#drawing = null
    this.#body.replaceChildren(drawMarkdown(this.#text, (number) => this.#cite(number)))
  }

  #cite(number: number): Node | null {
    const at = this.#indexOf(number)
    if (at === null) return null
    const onclick = () => {
      const list = this.element.querySelector('details')
      if (list !== null) list.open = true
      this.element.querySelectorAll<HTMLElement>('.sources li')[at]?.focus()
    }
    const source = `${textOf(this.#data, 'sources')}: ${this.#citations[at]?.title ?? ''}`
    // The name of a control contains its visible text, for people who speak to their computer.
    const label = `${number}, ${source}`
    return el(
      'button',
      { type: 'button', class: 'cite', 'aria-label': label, onclick },
      String(number),
    )
  }

  /** An answer numbers all passages, and its citations are those that it names, in order. */
  #indexOf(number: number): number | null {
    const named = this.#named()
    const at = named.length === this.#citations.length ? named.indexOf(number) : number - 1
    return at >= 0 && at < this.#citations.length ? at : null
  }

  #named(): readonly number[] {
    const found = [...this.#text.matchAll(/\[(\d{1,2})\]/g)].map((match) => Number(match[1]))
    return [...new Set(found)].toSorted((a, b) => a - b)
  }

  #sources(): HTMLElement {
    const named = this.#named()
    const items = this.#citations.map(({ title, url, page, heading, passage }, at) => {
      const number = named.length === this.#citations.length ? named[at] : at + 1
      const where = page === null ? heading : textOf(this.#data, 'pageNumber', { number: page })
      return el(
        'li',
        { tabindex: -1 },
        el(
          'p',
          { class: 'title', dir: 'auto' },
          `${number ?? at + 1}. ${title}`,
          where === '' ? null : el('small', {}, ` · ${where}`),
        ),
        el('blockquote', { dir: 'auto' }, passage),
        url === null ? null : linkTo(url, textOf(this.#data, 'openPage')),
      )
    })
    const summary = el('summary', {}, `${textOf(this.#data, 'sources')} (${items.length})`)
    return el('details', { class: 'sources' }, summary, el('ol', {}, ...items))
  }
}
