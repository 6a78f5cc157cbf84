import { useState } from 'react'
import { Check } from '#ui/icons.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { ChatAnswer } from '../test-chat/chat-answer.tsx'
import { ChatComposer } from '../test-chat/chat-composer.tsx'
import { ChatQuestion } from '../test-chat/chat-question.tsx'
import type { ChatTurn } from '../test-chat/chat-turn.ts'
import { nameOfCompared } from './compared-field.tsx'
import { variantOf, type Compared } from './comparison.ts'
import { useAttachments } from '../test-chat/use-attachments.ts'
import { useTestChat, type TestChat } from '../test-chat/use-test-chat.ts'

const nothingSaid = { sessionId: undefined, turns: [] }

type Side = 0 | 1

/** Two conversations with the same questions. The service stores neither. */
export function SideBySide({ sides }: { readonly sides: readonly [Compared, Compared] }) {
  const agent = useAgent()
  const attachments = useAttachments()
  const [better, setBetter] = useState<Readonly<Record<number, Side>>>({})
  const chats = [useSide(sides[0]), useSide(sides[1])] as const
  const names = sides.map((side) => nameOfCompared(side, agent.version))
  const isRunning = chats.some((chat) => chat.isRunning)
  const wins = (side: Side) => Object.values(better).filter((one) => one === side).length
  return (
    <>
      {chats[0].turns.length > 0 && (
        <p role="status" className="text-sm text-soft">
          {t('build.compare.score')}{' '}
          {names.map((name, side) => `${name}: ${wins(side === 0 ? 0 : 1)}`).join(' · ')}
        </p>
      )}
      <div role="log" aria-busy={isRunning} className="flex flex-col gap-6 empty:hidden">
        {chats[0].turns.map((turn, at) => (
          <article key={turn.id} className="flex flex-col gap-3">
            <ChatQuestion
              question={turn.question}
              attachments={turn.attachments ?? []}
              onEdit={undefined}
            />
            <div className="grid gap-4 md:grid-cols-2">
              {([0, 1] as const).map((side) => (
                <Answer
                  key={side}
                  name={names[side] ?? ''}
                  turn={chats[side].turns[at]}
                  isBetter={better[at] === side}
                  onBetter={() => setBetter((all) => ({ ...all, [at]: side }))}
                />
              ))}
            </div>
          </article>
        ))}
      </div>
      <ChatComposer
        draftKey={`compare ${agent.id}`}
        isRunning={isRunning}
        attachments={attachments}
        onSay={(question, files) => {
          for (const chat of chats) chat.say(question, files)
        }}
        onStop={() => {
          for (const chat of chats) chat.stop()
        }}
      />
    </>
  )
}

function useSide(side: Compared): TestChat {
  const agent = useAgent()
  const variant = variantOf(side, agent.version)
  return useTestChat(agent.id, nothingSaid, {
    onBegin: () => undefined,
    before: undefined,
    variant,
  })
}

interface AnswerProps {
  readonly name: string
  readonly turn: ChatTurn | undefined
  readonly isBetter: boolean
  onBetter(): void
}

function Answer({ name, turn, isBetter, onBetter }: AnswerProps) {
  return (
    <section
      aria-label={name}
      className="flex min-w-0 flex-col gap-2.5 rounded-xl border border-line p-4"
    >
      <h2 className="text-xs font-medium break-words text-soft">{name}</h2>
      {turn !== undefined && (
        <ChatAnswer turn={turn} sessionId={undefined} onAgain={undefined} onRetry={undefined} />
      )}
      {turn?.status === 'done' && (
        <Button
          size="small"
          look={isBetter ? 'primary' : 'plain'}
          aria-pressed={isBetter}
          onClick={onBetter}
          className="self-start"
        >
          <Check aria-hidden />
          {t('build.compare.better')}
        </Button>
      )}
    </section>
  )
}
