import { AnswerView } from './answer-view.ts'
import { Refused, type Api, type SentFile, type StoredConversation } from './api.ts'
import { byId, el } from './dom.ts'
import type { ToHost } from './host.ts'
import { textOf, type PageData } from './page-data.ts'
import { draftOf, isEmpty, nothing, questionView, type Question } from './question-view.ts'
import type { AnswerActions } from './rated-actions.ts'
import { wordsOf } from './words-of.ts'

export interface Unsent {
  readonly draft: string
  readonly files: readonly SentFile[]
}

/** What the page shows in addition to the messages. */
interface Surroundings {
  /** Whether an answer is being written. */
  busy(isBusy: boolean): void
  /** For screen readers: once at the beginning of an answer, and once at its end. */
  announce(text: string): void
  /** The visit has ended; what was drafted was not sent. */
  ended(unsent: Unsent, conversationId: string | null): void
  /** Puts what was not sent into the field. */
  draft(unsent: Unsent): void
  /** Sends now, or when nothing stands in the way. */
  send(send: () => Promise<void>): void
  /** A conversation has been opened, or will not be. */
  settled(): void
  /** Reports events to the page that embeds this one. */
  report(event: ToHost): void
}

/** An answer that did not end as it should. */
interface Attempt {
  readonly question: Question
  /** Empty if the answer did not begin. */
  readonly messageId: string
  readonly wasStopped: boolean
}

/** One conversation on the page. */
export class Conversation {
  #id: string | null = null
  /** The conversation that is loading. */
  #opening: string | null = null
  #writing: AbortController | null = null
  readonly #messages = byId('messages')
  readonly #data: PageData
  readonly #api: Api
  readonly #around: Surroundings

  constructor(data: PageData, api: Api, around: Surroundings) {
    this.#data = data
    this.#api = api
    this.#around = around
  }

  get id(): string | null {
    return this.#id
  }

  get isBusy(): boolean {
    return this.#writing !== null
  }

  /** Whether a message would come before those that are loading. */
  get isOpening(): boolean {
    return this.#opening !== null
  }

  stop(): void {
    this.#writing?.abort()
  }

  startNew(): void {
    this.#clear()
    this.#around.settled()
  }

  #clear(): void {
    this.#opening = null
    this.stop()
    this.#show(null)
    this.#messages.replaceChildren()
    byId('suggestions').hidden = false
  }

  /**
   * Shows a stored conversation, which the next message continues, or begins one if it cannot be read.
   *
   * @param isExplained whether the visitor has chosen it, and reads why it cannot be read
   */
  async open(id: string, isExplained: boolean): Promise<void> {
    this.#clear()
    this.#show(id)
    this.#opening = id
    byId('suggestions').hidden = true
    try {
      await this.#load(id)
    } catch (error) {
      // Another one may have been opened meanwhile.
      if (this.#opening === id) {
        this.#clear()
        if (isExplained) this.#say(wordsOf(this.#data, error))
      }
    }
    if (this.#opening === id) this.#opening = null
    this.#around.settled()
  }

  #say(words: string): void {
    this.#messages.append(el('p', { class: 'notice' }, words))
    this.#around.announce(words)
  }

  async #load(id: string): Promise<void> {
    let question = nothing
    for (let cursor = ''; ;) {
      const query = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`
      const part = await this.#api.get<StoredConversation>(`/conversations/${id}${query}`)
      if (this.#id !== id) return
      for (const message of part.messages) {
        if (message.role === 'user') {
          const { id: again, text, attached } = message
          question = { text, files: [], ...(attached && { again }) }
          this.#ask(question)
        } else this.#showStored(message, question)
      }
      const last = part.messages.at(-1)
      const view = this.#views.get(last?.id ?? '')
      view?.ask(part.confirm, this.#actionsOf(last?.id ?? '', question))
      if (part.next_cursor === null) break
      cursor = part.next_cursor
    }
    this.#toEnd()
  }

  #show(id: string | null): void {
    if (id === this.#id) return
    this.#id = id
    this.#around.report({ parley: 'conversation', id })
  }

  async send(text: string, files: readonly SentFile[] = []): Promise<void> {
    await this.#send({ text, files })
  }

  async #send(question: Question): Promise<void> {
    if (this.#writing !== null) return
    byId('suggestions').hidden = true
    for (const card of this.#messages.querySelectorAll('.card')) card.remove()
    this.#ask(question)
    this.#around.report({ parley: 'message' })
    await this.#answer(question)
  }

  readonly #views = new Map<string, AnswerView>()

  #showStored(message: StoredConversation['messages'][number], question: Question): void {
    const view = new AnswerView(this.#data)
    this.#messages.append(view.element)
    this.#views.set(message.id, view)
    view.finish(message.text, message.citations)
    if (message.incomplete) view.note(textOf(this.#data, 'incomplete'))
    view.offer(this.#actionsOf(message.id, question), message.rating)
  }

  async #answer(question: Question): Promise<void> {
    const view = new AnswerView(this.#data)
    this.#messages.append(view.element)
    this.#toEnd()
    const writing = new AbortController()
    this.#writing = writing
    this.#around.busy(true)
    this.#around.announce(textOf(this.#data, 'answering'))
    let messageId = ''
    try {
      const { files, ...words } = question
      const asked = { ...words, conversation_id: this.#id, ...(files.length > 0 && { files }) }
      for await (const event of this.#api.answer(asked, writing.signal)) {
        if (event.type === 'checking') this.#wait(view, 'checking')
        else if (event.type === 'captcha') this.#wait(view, 'captcha', event.open)
        else if (event.type === 'start') {
          this.#show(event.conversation_id)
          messageId = event.message_id
        } else if (event.type === 'text') {
          const isAtEnd = this.#isAtEnd()
          view.add(event.text)
          if (isAtEnd) this.#toEnd()
        } else if (event.type === 'done') {
          const answer = view.text
          view.finish(answer, event.citations)
          const actions = this.#actionsOf(messageId, question)
          view.offer(actions, null)
          view.ask(event.confirm, actions)
          this.#around.announce(view.spoken)
          this.#around.report({ parley: 'answer' })
        } else throw new Refused(event)
      }
    } catch (error) {
      this.#explain(view, error, { question, messageId, wasStopped: writing.signal.aborted })
    } finally {
      if (this.#writing === writing) this.#writing = null
      this.#around.busy(false)
      this.#around.report({ parley: 'idle' })
      this.#toEnd()
    }
  }

  #wait(view: AnswerView, reason: string, open?: () => void): void {
    const words = textOf(this.#data, reason)
    view.wait(words, open)
    this.#toEnd()
    this.#around.announce(words)
  }

  #explain(view: AnswerView, error: unknown, { question, messageId, wasStopped }: Attempt): void {
    if (error instanceof Refused && error.refusal.code === 'visit_ended')
      this.#around.ended({ draft: draftOf(question), files: question.files }, this.#id)
    view.finish(view.text, [])
    const words = wasStopped ? textOf(this.#data, 'incomplete') : wordsOf(this.#data, error)
    // Asking again would be refused again.
    const isFull = error instanceof Refused && error.refusal.code === 'conversation_full'
    view.note(words, isFull ? this.#newWith(question) : undefined)
    view.offer(this.#actionsOf(messageId, isFull ? nothing : question), null)
    this.#around.announce(words)
  }

  #newWith({ text, files }: Question) {
    const start = () => {
      this.startNew()
      this.#around.draft({ draft: text, files })
    }
    return { label: textOf(this.#data, 'newChat'), start }
  }

  #actionsOf(messageId: string, question: Question): AnswerActions {
    return {
      rate: async (rating, comment) => {
        const answer = { conversation_id: this.#id, message_id: messageId, rating, comment }
        try {
          await this.#api.post('/ratings', answer)
        } catch (error) {
          return wordsOf(this.#data, error)
        }
        this.#around.report({ parley: 'rated', rating })
        return null
      },
      again: isEmpty(question) ? null : () => this.#sendHere(question),
      decide: (text) => this.#sendHere({ text, files: [] }),
    }
  }

  /** Sends a message about what is shown, and so to no other conversation. */
  #sendHere(question: Question): void {
    const id = this.#id
    this.#around.send(async () => {
      if (this.#id === id) await this.#send(question)
    })
  }

  #ask(question: Question): void {
    this.#messages.append(questionView(this.#data, question))
  }

  #isAtEnd(): boolean {
    const log = byId('log')
    return log.scrollHeight - log.scrollTop - log.clientHeight < 80
  }

  #toEnd(): void {
    const log = byId('log')
    log.scrollTop = log.scrollHeight
  }
}
