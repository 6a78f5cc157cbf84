import './page.css'
import { Api, type ListedConversation } from './api.ts'
import { Conversation, type Unsent } from './conversation.ts'
import { Attachments } from './attachments.ts'
import { byId, el, icon, iconButton } from './dom.ts'
import { Host, type FromHost, type ToHost } from './host.ts'
import { isComposing } from './is-composing.ts'
import { MissingVisit } from './missing-visit.ts'
import { Outbox } from './outbox.ts'
import { listenForLooks } from './preview.ts'
import { readPageData, textOf } from './page-data.ts'
import { wordsOf } from './words-of.ts'

const data = readPageData()
const t = (key: string) => textOf(data, key)
const api = new Api(data, () => endedAsleep())
const message = byId('message') as HTMLTextAreaElement
const send = byId('send') as HTMLButtonElement
const isFramed = data.token === undefined
let host: Host | null = null
const report = (event: ToHost) => host?.send(event)
/** Null if the page takes no files. */
const attachments = Attachments.of(data, { announce, settled: () => void outbox.flush() })
const conversation = new Conversation(data, api, {
  busy,
  announce,
  ended,
  draft,
  report,
  send: (send) => outbox.add(send),
  settled: () => void outbox.flush(),
})
const outbox = new Outbox(mayBegin)
const missing = new MissingVisit(data, announce, () => report({ parley: 'ended' }))

/**
 * What survives loading the page again. An opaque origin has no storage and no state in the history, but
 * its window keeps a name.
 */
interface Kept {
  readonly draft: string
  /** Whether the draft had files, which are too long to be kept. */
  readonly hadFiles: boolean
  readonly conversationId: string | null
  /** Epoch milliseconds. */
  readonly at: number
}

function busy(isBusy: boolean): void {
  document.body.classList.toggle('busy', isBusy)
  const label = isBusy ? t('stop') : t('send')
  send.setAttribute('aria-label', label)
  send.title = label
  send.replaceChildren(icon(isBusy ? 'stop' : 'send'))
}

function announce(text: string): void {
  byId('status').textContent = text
}

let hasVisit = false
/** Whether nothing is sent: there is no visit yet, or the host is about to bring another one. */
let isHeld = isFramed
/** Whether nothing stands in the way of the next message. */
function mayBegin(): boolean {
  const isReading = attachments?.isReading === true
  return !isHeld && !conversation.isBusy && !conversation.isOpening && !isReading
}

/** Sends what has waited; if a conversation is being opened, after that. */
function release(): void {
  isHeld = false
  void outbox.flush()
}

/** What the page that embeds this one sends. */
function receive(sent: FromHost): void {
  if (sent.parley === 'ask') return outbox.add(() => conversation.send(sent.text))
  if (sent.parley === 'hold') return hold()
  if (sent.parley === 'resume') return release()
  if (sent.parley === 'failed') return missing.show(sent)
  const { token, ends_in, conversation: id } = sent
  api.use(token, ends_in)
  missing.end()
  show(id)
  // A visit that follows another one must not take the focus from the host's page.
  if (!hasVisit || document.hasFocus()) message.focus()
  hasVisit = true
  release()
}

/** An answer that is being written is completed first; its end reports that nothing is sent any more. */
function hold(): void {
  isHeld = true
  if (!conversation.isBusy) report({ parley: 'idle' })
}

/** The conversation may belong to another visitor, or be deleted: another one begins. */
function show(id: string | null): void {
  if (id === null) conversation.startNew()
  else if (id !== conversation.id) void conversation.open(id, false)
}

/** The token could not be renewed in time, such as after the device has slept. */
function endedAsleep(): void {
  // An answer that is still being written is complete before the next message finds out.
  if (host !== null || !conversation.isBusy)
    ended({ draft: message.value, files: [] }, conversation.id)
}

/** Begins another visit, with the same conversation and draft: loads the page again, or asks the host. */
function ended({ draft, files }: Unsent, conversationId: string | null): void {
  attachments?.giveBack(files)
  if (host !== null) {
    message.value = draft
    return host.send({ parley: 'ended' })
  }
  const hasJustTried = kept !== null && Date.now() - kept.at < 30_000
  if (hasJustTried) return
  const hadFiles = attachments?.hasFiles === true
  const next: Kept = { draft, hadFiles, conversationId, at: Date.now() }
  window.name = keptPrefix + JSON.stringify(next)
  // A frame that loads itself again is sent without its cookie, so the installed app does it.
  if (parent === window) location.reload()
  else parent.postMessage({ parley: 'again' }, '*')
}

function draft({ draft: text, files }: Unsent): void {
  attachments?.giveBack(files)
  message.value = text
  fit()
  message.focus()
}

const keptPrefix = 'parley '
const kept = takeKept()

/** Whoever has opened the window can have named it, too: only text for the field, and an id, are taken. */
function takeKept(): Kept | null {
  const { name } = window
  if (!name.startsWith(keptPrefix)) return null
  window.name = ''
  try {
    const { draft, hadFiles, conversationId, at } = JSON.parse(
      name.slice(keptPrefix.length),
    ) as Kept
    const id = /^[\w-]+$/.test(String(conversationId)) ? conversationId : null
    return { draft: String(draft), hadFiles: Boolean(hadFiles), conversationId: id, at }
  } catch {
    return null
  }
}

function restore(): void {
  if (kept === null || Date.now() - kept.at > 30_000) return
  message.value = kept.draft
  if (kept.hadFiles) attachments?.sayLost()
  if (kept.conversationId !== null) void conversation.open(kept.conversationId, true)
}

function submit(): void {
  if (conversation.isBusy) return conversation.stop()
  missing.tryNow()
  outbox.add(sendTyped)
}

async function sendTyped(): Promise<void> {
  const text = message.value.trim()
  const files = attachments?.take() ?? []
  if (text === '' && files.length === 0) return message.focus()
  message.value = ''
  fit()
  await conversation.send(text, files)
}

/** The field grows with its text; the style sheet limits it. */
function fit(): void {
  message.style.height = 'auto'
  message.style.height = `${message.scrollHeight}px`
}

function startNew(): void {
  conversation.startNew()
  message.focus()
}

/** Paper cannot be opened: sources are printed, and closed again afterwards. */
function openSources(): void {
  const closed = [...document.querySelectorAll<HTMLDetailsElement>('.sources:not([open])')]
  for (const list of closed) list.open = true
  const close = () => {
    for (const list of closed) list.open = false
  }
  addEventListener('afterprint', close, { once: true })
}

const dialog = el('dialog', { 'aria-label': t('conversations') })

async function showConversations(): Promise<void> {
  const list = el('ul', { class: 'conversations' })
  const close = iconButton('close', t('close'), () => dialog.close())
  dialog.replaceChildren(el('header', {}, el('h2', {}, t('conversations')), close), list)
  dialog.showModal()
  try {
    const { items } = await api.get<{ items: readonly ListedConversation[] }>('/conversations')
    list.replaceChildren(...items.map(entry))
    if (items.length === 0) list.append(el('li', { class: 'empty' }, t('noConversations')))
  } catch (error) {
    list.replaceChildren(el('li', { class: 'empty' }, wordsOf(data, error)))
  }
}

function entry({ id, question, last_message_at: at }: ListedConversation): HTMLLIElement {
  const day = new Intl.DateTimeFormat(data.language, { dateStyle: 'medium', timeStyle: 'short' })
  const onclick = () => {
    dialog.close()
    void conversation.open(id, true)
  }
  const time = el('small', {}, day.format(at))
  return el('li', {}, el('button', { type: 'button', onclick, dir: 'auto' }, question, time))
}

/** Phones have no room for it, and print from the menu of their browser. */
function printButton(): HTMLButtonElement {
  const button = iconButton('print', t('print'), () => print())
  button.classList.add('roomy')
  return button
}

byId('tools').append(
  iconButton('plus', t('newChat'), startNew),
  iconButton('list', t('conversations'), () => void showConversations()),
  isFramed ? iconButton('close', t('close'), () => report({ parley: 'close' })) : printButton(),
)
if (data.app !== null) {
  const label = t('install')
  const link = { class: 'icon', href: data.app, 'aria-label': label, title: label }
  byId('tools').append(el('a', link, icon('install')))
}
document.body.append(dialog)
addEventListener('beforeprint', openSources)
busy(false)
byId('composer').addEventListener('submit', (event) => {
  event.preventDefault()
  submit()
})
message.addEventListener('input', fit)
message.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return
  event.preventDefault()
  if (!conversation.isBusy) submit()
})
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || dialog.open) return
  if (isFramed && !conversation.isBusy) report({ parley: 'close' })
  conversation.stop()
})
byId('suggestions').addEventListener('click', ({ target }) => {
  if (!(target instanceof HTMLButtonElement)) return
  const text = target.textContent
  if (mayBegin()) return outbox.add(() => conversation.send(text))
  message.value = text
  submit()
})
attachments?.showIn(byId('composer'))
if (data.paused) {
  message.disabled = true
  send.disabled = true
  // Beside the messages: another conversation, such as the first one of a widget's visit, clears them.
  byId('log').append(el('p', { class: 'notice' }, t('paused')))
}
if (data.preview === true) listenForLooks()
if (data.token === undefined) host = new Host(receive)
else {
  api.use(data.token, data.endsIn ?? 0)
  restore()
}
