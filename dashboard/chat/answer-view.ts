import type { Awaiting, Citation } from './api.ts'
import { el, icon, iconButton } from './dom.ts'
import { linkTo, renderMarkdown } from './markdown.ts'
import { textOf, type PageData } from './page-data.ts'
import { withoutQuestion } from './without-question.ts'

/** What a visitor can do with an answer. */
export interface AnswerActions {
  rate(rating: 'up' | 'down' | null, comment: string): Promise<void>
  /** Null if there is nothing to send again. */
  readonly again: (() => void) | null
  /** Sends a decision on the actions that wait. */
  decide(text: string): void
}

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

  /** Replaces an empty answer, or follows an incomplete one. */
  note(text: string): void {
    if (this.#text === '') this.#body.replaceChildren()
    this.element.append(el('p', { class: 'notice' }, text))
  }

  /** The buttons below a complete answer. */
  offer(actions: AnswerActions, rated: 'up' | 'down' | null): void {
    this.element.append(new RatedActions(this.#data, this, actions, rated).element)
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
    this.#body.replaceChildren(renderMarkdown(this.#text, (number) => this.#cite(number)))
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

/** The buttons for copying, rating and asking again. */
class RatedActions {
  readonly element = el('div', { class: 'actions' })
  readonly #data: PageData
  readonly #actions: AnswerActions
  #rating: 'up' | 'down' | null

  constructor(
    data: PageData,
    view: AnswerView,
    actions: AnswerActions,
    rated: 'up' | 'down' | null,
  ) {
    this.#data = data
    this.#actions = actions
    this.#rating = rated
    const t = (key: string) => textOf(data, key)
    const copy = iconButton('copy', t('copy'), () => {
      copyText(view.text).then(
        () => rename(copy, t('copied'), true),
        () => rename(copy, t('copyFailed'), false),
      )
    })
    const up = iconButton('up', t('helpful'), () => this.#rate('up'))
    const down = iconButton('down', t('notHelpful'), () => this.#rate('down'))
    const { again: repeat } = actions
    const again = repeat === null ? null : iconButton('again', t('again'), repeat)
    again?.classList.add('again')
    up.dataset['rating'] = 'up'
    down.dataset['rating'] = 'down'
    // A refused question has no answer to copy or to rate.
    if (view.text !== '') this.element.append(copy, up, down)
    if (again !== null) this.element.append(again)
    this.#show()
  }

  #rate(rating: 'up' | 'down'): void {
    this.#rating = this.#rating === rating ? null : rating
    this.#show()
    this.element.querySelector('form')?.remove()
    void this.#actions.rate(this.#rating, '')
    if (this.#rating === 'down') this.#askWhy()
  }

  #show(): void {
    for (const button of this.element.querySelectorAll<HTMLElement>('[data-rating]'))
      button.setAttribute('aria-pressed', String(button.dataset['rating'] === this.#rating))
  }

  #askWhy(): void {
    const t = (key: string) => textOf(this.#data, key)
    const input = el('input', {
      'aria-label': t('commentLabel'),
      placeholder: t('commentLabel'),
      maxlength: 1000,
      dir: 'auto',
    })
    const onsubmit = (event: Event) => {
      event.preventDefault()
      void this.#actions.rate('down', input.value)
      form.replaceChildren(el('p', { role: 'status' }, t('thanks')))
    }
    const form = el(
      'form',
      { onsubmit },
      input,
      el('button', { type: 'submit', 'aria-label': t('sendComment') }, icon('send')),
    )
    this.element.append(form)
    input.focus()
  }
}

function rename(button: HTMLElement, label: string, isDone: boolean): void {
  button.classList.toggle('done', isDone)
  button.title = label
  button.setAttribute('aria-label', label)
}

/** A page in an opaque origin may be refused the clipboard; a selection can be copied anyway. */
async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    const field = el('textarea', { class: 'unseen' })
    field.value = text
    document.body.append(field)
    const before = document.activeElement
    field.select()
    const isCopied = document.execCommand('copy')
    field.remove()
    if (before instanceof HTMLElement) before.focus()
    if (!isCopied) throw new Error('the browser refused to copy')
  }
}
