import { useState } from 'react'
import { CodeBlock } from '#components/code-block.tsx'
import { t } from '#texts/t.ts'
import { classNames } from '#ui/class-names.ts'
import { snippetsOf, type SnippetValues } from './snippets.ts'

/** The same call in several languages; which one is a matter of a click. */
export function SnippetTabs(values: SnippetValues) {
  const snippets = snippetsOf(values)
  const [chosen, setChosen] = useState(0)
  const snippet = snippets[chosen] ?? snippets[0]
  if (snippet === undefined) return null
  return (
    <div>
      <div role="group" aria-label={t('share.languages')} className="mb-3 flex flex-wrap gap-1">
        {snippets.map(({ id, label }, index) => (
          <button
            key={id}
            type="button"
            aria-pressed={index === chosen}
            onClick={() => setChosen(index)}
            className={classNames(
              'rounded-lg px-3 py-1.5 text-[0.8125rem] hover:bg-hover',
              index === chosen ? 'bg-accent-ground font-medium text-accent' : 'text-soft',
            )}
          >
            {label}
          </button>
        ))}
      </div>
      <CodeBlock code={snippet.code} label={t('share.codeLabel', { language: snippet.label })} />
    </div>
  )
}
