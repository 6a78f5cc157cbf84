import { CircleAlert, CircleCheck, CircleHelp, CircleSlash, LoaderCircle } from '#ui/icons.ts'
import type { ComponentType } from 'react'
import type { ChatToolCall } from '#api/stream-chat.ts'
import { formatDuration } from '#texts/format.ts'
import { t } from '#texts/t.ts'

export interface ChatCallsProps {
  readonly calls: readonly ChatToolCall[]
  /** Whether the answer ended before the calls did: the outcome of running calls is then unknown. */
  readonly isCut?: boolean
}

/** The tool calls of an answer, in order. */
export function ChatCalls({ calls, isCut = false }: ChatCallsProps) {
  return (
    <ul aria-label={t('build.chat.calls')} className="flex flex-col gap-1.5">
      {calls.map((call) => (
        <li key={call.id}>
          <Call call={call} status={isCut && call.status === 'running' ? 'stopped' : call.status} />
        </li>
      ))}
    </ul>
  )
}

interface CallProps {
  readonly call: ChatToolCall
  readonly status: ShownStatus
}

function Call({ call, status }: CallProps) {
  const { Icon, tone } = looks[status]
  const parts = [
    t(`build.chat.statuses.${status}`),
    call.http_status === null ? null : `HTTP ${call.http_status}`,
    call.duration_ms === null ? null : formatDuration(call.duration_ms),
  ].filter((one) => one !== null)
  return (
    <details className="rounded-xl border border-line bg-quiet">
      <summary className="flex cursor-pointer items-start gap-2 rounded-xl px-3 py-2 text-xs">
        <Icon className={`size-4 shrink-0 ${tone}`} aria-hidden />
        <span className="flex min-w-0 flex-1 flex-wrap justify-between gap-x-2">
          <span className="min-w-0 font-medium break-words">
            {call.title === '' ? call.name : call.title}
          </span>
          <span className="text-soft">{parts.join(' · ')}</span>
        </span>
      </summary>
      <div className="flex flex-col gap-2 border-t border-line px-3 py-2.5 text-xs">
        {call.error !== null && <p className="break-words text-bad">{call.error}</p>}
        <Text label={t('build.chat.arguments')} text={JSON.stringify(call.arguments, null, 2)} />
        {call.response !== null && <Text label={t('build.chat.response')} text={call.response} />}
      </div>
    </details>
  )
}

function Text({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className="min-w-0">
      <p className="text-soft">{label}</p>
      <pre
        role="region"
        aria-label={label}
        tabIndex={0}
        className="mt-0.5 max-h-48 overflow-auto font-mono break-words whitespace-pre-wrap"
      >
        {text}
      </pre>
    </div>
  )
}

interface CallLook {
  readonly Icon: ComponentType<{ className?: string }>
  readonly tone: string
}

type ShownStatus = ChatToolCall['status'] | 'stopped'

const looks: Readonly<Record<ShownStatus, CallLook>> = {
  running: { Icon: LoaderCircle, tone: 'animate-spin text-accent' },
  done: { Icon: CircleCheck, tone: 'text-good' },
  failed: { Icon: CircleAlert, tone: 'text-bad' },
  awaiting_confirmation: { Icon: CircleHelp, tone: 'text-warn' },
  declined: { Icon: CircleSlash, tone: 'text-soft' },
  stopped: { Icon: CircleSlash, tone: 'text-soft' },
  in_doubt: { Icon: CircleHelp, tone: 'text-warn' },
}
