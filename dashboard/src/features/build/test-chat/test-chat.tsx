import { Link } from '@tanstack/react-router'
import { RotateCcw } from '#ui/icons.ts'
import { lazy, Suspense, useLayoutEffect, useRef, type ReactNode } from 'react'
import { useOperation } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { draftedAgent, useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { classNames } from '#ui/class-names.ts'
import { useDropTarget } from '#components/use-file-drop.ts'
import { Markdown } from '#components/markdown.tsx'
import { ErrorState, LoadingRows } from '#components/states.tsx'
import { ChatComposer } from './chat-composer.tsx'
import { ChatConfirmation } from './chat-confirmation.tsx'
import { ChatQuestion } from './chat-question.tsx'
import { isAsking, isRepeatable, type ChatTurn } from './chat-turn.ts'
import type { EditedSettings } from '../settings/edited-settings.ts'
import { useAttachments } from './use-attachments.ts'
import { useChatPlace } from './use-chat-place.ts'
import { useTestChat, type Conversation, type TestChat as Chat } from './use-test-chat.ts'

/** Loaded with the first answer: most visits of the page ask nothing. */
const ChatAnswer = lazy(async () => ({ default: (await import('./chat-answer.tsx')).ChatAnswer }))

/** A conversation with the page's agent, with details that end users do not see. */
export function TestChat({ edited }: { readonly edited: EditedSettings | null }) {
  const agent = useAgent()
  const isDraft = agent.draft !== undefined || edited?.hasUnsaved === true
  const place = useChatPlace(agent.id)
  return (
    <section
      aria-label={t('build.chat.title')}
      className="flex h-[38rem] max-h-[85dvh] flex-col overflow-hidden rounded-2xl border border-line bg-card xl:h-[calc(100dvh-13rem)] xl:max-h-[52rem] xl:min-h-[28rem]"
    >
      <header className="flex items-center gap-3 border-b border-line py-2.5 pr-2.5 pl-5">
        <div className="min-w-0 flex-1">
          <h2 className="text-sm font-semibold">{t('build.chat.title')}</h2>
          <p className={`text-xs ${isDraft ? 'text-warn' : 'text-soft'}`}>
            {isDraft ? t('build.chat.draft') : t('build.chat.version', { version: agent.version })}
          </p>
        </div>
        <Button
          look="quiet"
          size="icon"
          aria-label={t('build.chat.fresh')}
          title={t('build.chat.fresh')}
          onClick={place.begin}
        >
          <RotateCcw aria-hidden />
        </Button>
      </header>
      {place.isGone && (
        <p role="status" className="px-5 pt-4 text-sm text-soft">
          {t('build.chat.gone')}
        </p>
      )}
      {place.error !== null ? (
        <div className="p-4">
          <ErrorState error={place.error} onRetry={place.readAgain} />
        </div>
      ) : place.conversation === null ? (
        <div className="p-5">
          <LoadingRows rows={2} />
        </div>
      ) : (
        <Conversed
          key={place.key}
          conversation={place.conversation}
          onBegin={place.name}
          edited={edited}
        />
      )}
    </section>
  )
}

interface ConversedProps {
  readonly conversation: Conversation
  readonly edited: EditedSettings | null
  onBegin(sessionId: string): void
}

function Conversed({ conversation, edited, onBegin }: ConversedProps) {
  const agent = useAgent()
  const chat = useTestChat(agent.id, conversation, { onBegin, before: edited?.save })
  const last = chat.turns.at(-1)
  const attachments = useAttachments()
  const drop = useDropTarget(attachments.add)
  return (
    <div
      {...drop.handlers}
      className={classNames(
        'flex min-h-0 flex-1 flex-col rounded-b-2xl',
        drop.isOver && 'outline-2 -outline-offset-2 outline-accent outline-dashed',
      )}
    >
      <Log chat={chat} />
      <footer className="border-t border-line p-3">
        {isAsking(last) && !chat.isRunning && (
          <ChatConfirmation turn={last} onSay={(word) => chat.say(word, [])} />
        )}
        <ChatComposer
          draftKey={`test-chat ${agent.id}`}
          attachments={attachments}
          isRunning={chat.isRunning}
          onSay={chat.say}
          onStop={chat.stop}
        />
      </footer>
    </div>
  )
}

function Log({ chat }: { readonly chat: Chat }) {
  const agent = draftedAgent(useAgent())
  const { turns, isRunning } = chat
  const again = (turn: ChatTurn, at: number) =>
    isRunning || !isRepeatable(turns, at)
      ? undefined
      : (question: string) => chat.say(question, turn.attachments ?? [], at)
  return (
    <Following mark={turns}>
      <div role="log" aria-live="polite" aria-busy={isRunning} className="flex flex-col gap-5">
        {agent.greeting !== '' && (
          <div className="text-sm">
            <Markdown text={agent.greeting} />
          </div>
        )}
        {turns.map((turn, at) => (
          <article key={turn.id} className="flex flex-col gap-3">
            <ChatQuestion
              question={turn.question}
              attachments={turn.attachments ?? []}
              onEdit={again(turn, at)}
            />
            <Suspense>
              <ChatAnswer
                turn={turn}
                sessionId={chat.sessionId}
                onAgain={again(turn, at) && (() => again(turn, at)?.(turn.question))}
                onRetry={
                  isRunning || turn.attachments === null
                    ? undefined
                    : () => chat.say(turn.question, turn.attachments ?? [])
                }
              />
            </Suspense>
          </article>
        ))}
      </div>
      {turns.length === 0 && <Opening onSay={(question) => chat.say(question, [])} />}
    </Following>
  )
}

function Opening({ onSay }: { onSay(question: string): void }) {
  const { id, greeting, suggestions } = draftedAgent(useAgent())
  const mayAdd = useMay('editor')
  const sources = useOperation('list_knowledge_sources', { app_id: id, limit: 1 })
  return (
    <>
      {greeting === '' && suggestions.length === 0 && (
        <div className="m-auto max-w-64 py-8 text-center text-sm">
          <p className="font-medium">{t('build.chat.empty')}</p>
          <p className="mt-1 text-soft">{t('build.chat.emptyHint')}</p>
        </div>
      )}
      {mayAdd && sources.data?.items.length === 0 && <ToKnowledge />}
      {suggestions.length > 0 && (
        <ul aria-label={t('build.chat.suggestions')} className="mt-4 flex flex-wrap gap-2">
          {suggestions.map((text, index) => (
            <li key={index} className="max-w-full">
              <button
                type="button"
                dir="auto"
                onClick={() => onSay(text)}
                className="max-w-full rounded-2xl border border-line px-3.5 py-1.5 text-start text-sm break-words text-accent hover:border-accent hover:bg-hover"
              >
                {text}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** The next step for a new agent, which cannot answer without knowledge. */
function ToKnowledge() {
  const { app_name_id: appId } = useAgent()
  return (
    <p className="my-4 text-center text-sm text-soft">
      {t('build.chat.unread')}{' '}
      <Link to="/agents/$appId/knowledge" params={{ appId }} className="text-accent underline">
        {t('build.chat.toKnowledge')}
      </Link>
    </p>
  )
}

interface FollowingProps {
  /** Changes with the content. */
  readonly mark: unknown
  readonly children: ReactNode
}

/** Follows new content, unless the reader has scrolled up. */
function Following({ mark, children }: FollowingProps) {
  const box = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  useLayoutEffect(() => {
    const element = box.current
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight
  }, [mark])
  return (
    <div
      ref={box}
      role="region"
      aria-label={t('build.chat.log')}
      tabIndex={0}
      className="flex min-h-0 flex-1 flex-col overflow-y-auto overscroll-contain px-5 py-4 focus-visible:-outline-offset-2"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 48
      }}
    >
      {children}
    </div>
  )
}
