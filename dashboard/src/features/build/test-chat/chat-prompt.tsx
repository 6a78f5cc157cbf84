import type { ChatPrompt as Prompt } from '#api/stream-chat.ts'
import { useState } from 'react'
import { t } from '#texts/t.ts'

/** What was sent to the model for an answer: each request with its messages, tools and parameters. */
export function ChatPrompt({ prompts }: { readonly prompts: readonly Prompt[] }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details
      className="rounded-xl border border-line"
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary className="cursor-pointer rounded-xl px-3 py-2 text-xs font-medium text-soft hover:text-ink">
        {t('build.chat.prompt.title')}
      </summary>
      {/* A prompt can be long: it is not in the page before it is wanted. */}
      <ol className="divide-y divide-line border-t border-line">
        {(isOpen ? prompts : []).map((prompt, index) => (
          <li key={index} className="flex flex-col gap-2.5 px-3 py-2.5 text-xs">
            <p className="font-medium">
              {t('build.chat.prompt.request', { number: index + 1 })}{' '}
              <span className="font-mono font-normal break-all text-soft">{prompt.model}</span>
            </p>
            <Messages prompt={prompt} />
            {prompt.tools.length > 0 && (
              <Text
                label={t('build.chat.prompt.tools', { count: prompt.tools.length })}
                text={JSON.stringify(prompt.tools, null, 2)}
              />
            )}
            <Text
              label={t('build.chat.prompt.parameters')}
              text={JSON.stringify(prompt.parameters, null, 2)}
            />
          </li>
        ))}
      </ol>
    </details>
  )
}

function Messages({ prompt }: { readonly prompt: Prompt }) {
  return (
    <ol aria-label={t('build.chat.prompt.messages')} className="flex flex-col gap-2">
      {prompt.messages.map((message, index) => (
        <li key={index}>
          <Text label={message.role} text={textOf(message)} />
        </li>
      ))}
    </ol>
  )
}

function textOf({ content, images, tool_calls: calls }: Prompt['messages'][number]): string {
  const written = calls.map(({ name, arguments: values }) => `${name}(${values})`)
  return [content, ...images, ...written].filter((part) => part !== '').join('\n')
}

function Text({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className="min-w-0">
      <p className="text-soft">{label}</p>
      <pre
        role="region"
        aria-label={label}
        tabIndex={0}
        className="mt-0.5 max-h-60 overflow-auto font-mono break-words whitespace-pre-wrap"
      >
        {text}
      </pre>
    </div>
  )
}
