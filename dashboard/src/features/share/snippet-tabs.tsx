import { useNavigate, useSearch } from '@tanstack/react-router'
import { CodeBlock } from '#components/code-block.tsx'
import { t } from '#texts/t.ts'
import { classNames } from '#ui/class-names.ts'
import { snippetsOf, type SnippetValues } from './snippets.ts'

/** The same call in several languages. The URL contains the chosen one. */
export function SnippetTabs(values: SnippetValues) {
  const snippets = snippetsOf(values)
  const navigate = useNavigate()
  const { language } = useSearch({ from: '/agents/$appId/share' })
  const snippet = snippets.find(({ id }) => id === language) ?? snippets[0]
  if (snippet === undefined) return null
  return (
    <div>
      <div role="group" aria-label={t('share.languages')} className="mb-3 flex flex-wrap gap-1">
        {snippets.map(({ id, label }) => (
          <button
            key={id}
            type="button"
            aria-pressed={id === snippet.id}
            onClick={() =>
              void navigate({
                from: '/agents/$appId/share/api',
                search: (before) => ({ ...before, language: id }),
                replace: true,
                resetScroll: false,
              })
            }
            className={classNames(
              'rounded-lg px-3 py-1.5 text-[0.8125rem] hover:bg-hover',
              id === snippet.id ? 'bg-accent-ground font-medium text-accent' : 'text-soft',
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
