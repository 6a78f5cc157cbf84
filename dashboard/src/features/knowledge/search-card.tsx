import { useNavigate, useSearch } from '@tanstack/react-router'
import { Search } from '#ui/icons.ts'
import { lazy, Suspense, useState, type FormEvent } from 'react'
import { LoadingRows } from '#components/states.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Card, CardHeading } from '#ui/surfaces.tsx'

/** Loaded with the first search. */
const FoundPassages = lazy(async () => ({
  default: (await import('./found-passages.tsx')).FoundPassages,
}))

/** The passages for a question. The URL contains the question. */
export function SearchCard() {
  const agent = useAgent()
  const navigate = useNavigate()
  const { q = '' } = useSearch({ from: '/agents/$appId/knowledge' })
  const [typed, setTyped] = useState(q)
  function submit(event: FormEvent): void {
    event.preventDefault()
    const query = typed.trim()
    void navigate({
      to: '/agents/$appId/knowledge',
      params: { appId: agent.app_name_id },
      search: query === '' ? {} : { q: query },
      replace: true,
    })
  }
  return (
    <Card>
      <CardHeading title={t('knowledge.search.title')} hint={t('knowledge.search.hint')} />
      <form onSubmit={submit} role="search" className="flex flex-wrap items-end gap-3">
        <Field label={t('knowledge.search.label')} className="flex-1 basis-60">
          <Input
            type="search"
            maxLength={1000}
            placeholder={t('knowledge.search.placeholder')}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </Field>
        <Button type="submit">
          <Search aria-hidden />
          {t('knowledge.search.submit')}
        </Button>
      </form>
      {q !== '' && (
        <div className="mt-5">
          <Suspense fallback={<LoadingRows rows={3} />}>
            <FoundPassages query={q} />
          </Suspense>
        </div>
      )}
    </Card>
  )
}
